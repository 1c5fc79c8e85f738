// Builds the pages: each one HTML file with its style and its program inside.
//
//   node build.mjs [FOLDER]      an absolute path; default: dist
//
// The same sources give the same bytes with every version of Node.js: the lock file pins the bundler.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
process.chdir(folder);
const output = process.argv[2] ?? 'dist';

// A page of its own server may ask it for more; one in a file asks nobody.
const pages = [
  { name: 'report', asks: '' },
  { name: 'group', asks: '' },
  { name: 'catalogue', asks: " connect-src 'self';" },
];

async function bundle(entry) {
  const result = await build({
    absWorkingDir: folder,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15'],
    legalComments: 'none',
  });
  return result.outputFiles[0].text.trim();
}

// The page says itself what it may run: its own program and its own style, nothing else.
function allowed(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

mkdirSync(output, { recursive: true });
for (const { name, asks } of pages) {
  const style = await bundle(`src/${name}.css`);
  const program = await bundle(`src/${name}.ts`);
  const page = readFileSync(`src/${name}.html`, 'utf8')
    .replace('{{policy}}', () =>
      `default-src 'none';${asks} img-src data:; style-src ${allowed(style)}; script-src ${allowed(program)}`)
    .replace('{{licence}}', () => readFileSync('node_modules/uplot/LICENSE', 'utf8').trim())
    .replace('{{style}}', () => style)
    .replace('{{program}}', () => program);
  writeFileSync(`${output}/${name}.html`, page);
  console.log(`${output}/${name}.html: ${page.length} characters`);
}
