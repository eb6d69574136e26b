// Monte Carlo control; see control.h.
#include <algorithm>
#include <limits>

#include "novum/decisions/control.h"
#include "novum/runtime/interrupt.h"

namespace novum::decisions {

namespace {

struct Moment {
    std::size_t cell;
    double reward, probability;  // of the action, under the policy that behaved
};

class Greedy {
  public:
    Greedy(const World& world, const double* q) : world(world), q(q) {}

    double top(std::int32_t s, int& ties) const {
        double best = -std::numeric_limits<double>::infinity();
        ties = 0;
        for (std::size_t a = 0; a < world.m; ++a) {
            const std::size_t cell = static_cast<std::size_t>(s) * world.m + a;
            if (world.pair[cell] < 0) continue;
            if (q[cell] > best) {
                best = q[cell];
                ties = 1;
            } else if (q[cell] == best) {
                ++ties;
            }
        }
        return best;
    }

    /// An epsilon-greedy action and its probability; ties are shared.
    std::size_t act(std::int32_t s, double epsilon, double u, double& probability) const {
        int ties = 0;
        const double best = top(s, ties);
        const int count = world.count[static_cast<std::size_t>(s)];
        const bool random = u < epsilon;
        const double share = random ? u / epsilon : (u - epsilon) / (1 - epsilon);
        int k = std::min((random ? count : ties) - 1, static_cast<int>(share * (random ? count : ties)));
        for (std::size_t a = 0; a < world.m; ++a) {
            const std::size_t cell = static_cast<std::size_t>(s) * world.m + a;
            if (world.pair[cell] < 0 || (!random && q[cell] != best)) continue;
            if (k-- == 0) {
                probability = epsilon / count + (q[cell] == best ? (1 - epsilon) / ties : 0.0);
                return cell;
            }
        }
        return static_cast<std::size_t>(s) * world.m;
    }

  private:
    const World& world;
    const double* q;
};

}  // namespace

std::int64_t carlo_control(const World& world, const CarloControl& plan, Draws draws, double* q, double* weight, double* totals,
                           std::int32_t* lengths, Diary* diary) {
    const Greedy greedy(world, q);
    std::vector<Moment> episode;
    std::vector<std::int64_t> last(world.n * world.m, -1);  // the first visit of a pair in the episode
    std::vector<std::size_t> open;
    for (std::size_t cell = 0; cell < world.n * world.m; ++cell)
        if (world.pair[cell] >= 0) open.push_back(cell);
    interrupt::Poller<1024> poller;
    std::uint64_t t = 0;
    for (std::int64_t number = 0; number < plan.episodes; ++number) {
        const double u = rng::uniform<double>(rng::bits(draws.starts, static_cast<std::uint64_t>(number)));
        const double epsilon = plan.exploration[number];
        bool forced = plan.method == Carlo::EXPLORING_STARTS;
        const std::size_t drawn = open[std::min(open.size() - 1, static_cast<std::size_t>(u * static_cast<double>(open.size())))];
        std::int32_t s = forced ? static_cast<std::int32_t>(drawn / world.m) : first_state(world, u);
        episode.clear();
        double total = 0;
        while (!world.terminal[s] && static_cast<std::int64_t>(episode.size()) < plan.most) {
            Moment moment{drawn, 0, 1};
            if (!forced) moment.cell = greedy.act(s, epsilon, draws.uniform(t, 1), moment.probability);
            forced = false;
            const Step taken = step(world, world.pair[moment.cell], draws.uniform(t, 0));
            ++t;
            moment.reward = taken.reward;
            total += taken.reward;
            if (diary) diary->live(number, s, static_cast<std::int64_t>(moment.cell % world.m), taken);
            episode.push_back(moment);
            s = taken.next;
            poller.tick();
            if (taken.ended) break;
        }
        totals[number] = total;
        lengths[number] = static_cast<std::int32_t>(episode.size());
        if (plan.first_visit)
            for (std::size_t k = episode.size(); k-- > 0;) last[episode[k].cell] = static_cast<std::int64_t>(k);
        double value = 0, ratio = 1;
        for (std::size_t k = episode.size(); k-- > 0;) {
            const Moment& moment = episode[k];
            value = moment.reward + world.discount * value;
            if (plan.method != Carlo::OFF_POLICY) {
                if (plan.first_visit && last[moment.cell] != static_cast<std::int64_t>(k)) continue;
                weight[moment.cell] += 1;
                q[moment.cell] += (value - q[moment.cell]) / weight[moment.cell];
                continue;
            }
            weight[moment.cell] += ratio;
            q[moment.cell] += ratio / weight[moment.cell] * (value - q[moment.cell]);
            int ties = 0;
            const double best = greedy.top(static_cast<std::int32_t>(moment.cell / world.m), ties);
            if (q[moment.cell] < best) break;
            ratio /= moment.probability;
        }
        if (diary && diary->wants(number + 1, plan.episodes)) diary->know(number + 1, q, nullptr, world.n * world.m);
    }
    return static_cast<std::int64_t>(t);
}

}  // namespace novum::decisions
