#include "lab/truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::lab {
namespace {

using namespace std::chrono_literals;
using scripted::Served;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Truth, FollowsEachConnectionByItself) {
  scripted::Observed observed;
  observed.log = {
      Served{"PING", 0, 0us, 0us, 1us},      Served{"GET", 0, 100us, 90us, 150us},
      Served{"GET", 1, 110us, 95us, 310us},  Served{"SET", 0, 170us, 160us, 200us},
      Served{"GET", 1, 330us, 320us, 340us}, Served{"GET", 0, 215us, 210us, std::nullopt},
  };
  const Truth truth = truth_of(observed, 1);
  EXPECT_THAT(truth.added, ElementsAre(10us, 30us, 50us, 200us));
  EXPECT_THAT(truth.whole, ElementsAre(50us, 70us, 225us));
}

TEST(Truth, OfAPipelineIsTheRequestThatTheReplyLetGo) {
  scripted::Observed observed;
  for (int i = 0; i < 5; ++i)
    observed.log.push_back(Served{"GET", 0, i * 10us, i * 10us, i * 10us + 1us});
  EXPECT_THAT(truth_of(observed, 2).whole, ElementsAre(20us, 20us, 20us));
  EXPECT_THAT(truth_of(observed, 5).whole, IsEmpty());
}

TEST(Truth, HasNoWholeWithoutStamps) {
  scripted::Observed observed;
  observed.log = {Served{"GET", 0, 1us, std::nullopt, 2us}, Served{"GET", 0, 3us, 3us, 4us},
                  Served{"GET", 0, 5us, 5us, 6us}};
  EXPECT_THAT(truth_of(observed, 1).whole, ElementsAre(2us));
}

TEST(QuantileOf, IsAValueThatWasSeen) {
  const std::vector<Nanos> values = {1us, 2us, 3us, 4us};
  EXPECT_EQ(quantile_of(values, 0), 1us);
  EXPECT_EQ(quantile_of(values, 0.5), 2us);
  EXPECT_EQ(quantile_of(values, 0.51), 3us);
  EXPECT_EQ(quantile_of(values, 1), 4us);
  EXPECT_EQ(quantile_of({}, 0.5), std::nullopt);
}

}  // namespace
}  // namespace headroom::lab
