// The loops of the steps of a plan, and where their results lie.
#pragma once
#include "novum/factors/plan.h"

namespace novum::factors {

/// Adds steps to a plan: loops over the output, with the steps that each makes in the inputs. O(axes) per step.
class StepMaker {
  public:
    explicit StepMaker(Plan& plan) : plan(plan) {}
    void add(std::int32_t a, std::int32_t b, std::int32_t variable, bool maximise, std::int32_t out);

  private:
    Plan& plan;
};

/// Give an output its place in the row of results and its loops over the one buffer that holds it.
void lay_out(Plan& plan, Output& output);

/// Give every buffer a place in the workspace; a place is used again when its last reader is done. Leaves out steps that nobody reads.
void place_buffers(Plan& plan);

}  // namespace novum::factors
