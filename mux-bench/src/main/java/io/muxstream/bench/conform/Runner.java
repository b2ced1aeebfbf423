package io.muxstream.bench.conform;

import io.muxstream.bench.conform.cases.Case;
import io.muxstream.bench.conform.cases.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Plays cases one after the other. */
final class Runner {
    private final Target target;
    private final Deviations deviations;

    Runner(Target target, Deviations deviations) {
        this.target = target;
        this.deviations = deviations;
    }

    /** Plays them all, and tells of each as it ends. */
    List<Result> run(List<Case> cases, Consumer<Result> ended) throws InterruptedException {
        List<Result> results = new ArrayList<>();
        for (Case each : cases) {
            Result result = run(each);
            results.add(result);
            ended.accept(result);
        }
        return results;
    }

    private Result run(Case each) throws InterruptedException {
        if (!each.versions().contains(target.version())) {
            return result(each, Verdict.NOT_APPLICABLE, "It is not about version " + target.version() + ".", 0);
        }
        long start = System.nanoTime();
        Case.Outcome outcome = each.play(target);
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        for (Deviation known : deviations.of(each.name(), target.version())) {
            if (outcome.met() && known.sometimes()) {
                break;
            }
            if (outcome.met()) {
                return result(each, Verdict.CHANGED, "It passed, where it is known that " + known.instead(), millis);
            }
            return outcome.came().contains(known.shows())
                    ? result(each, Verdict.DEVIATION, known.instead() + " (" + outcome.came() + ")", millis)
                    : result(
                            each,
                            Verdict.CHANGED,
                            "expected the known deviation to show '" + known.shows() + "', got: " + outcome.came(),
                            millis);
        }
        return result(each, outcome.met() ? Verdict.PASSED : Verdict.FAILED, outcome.came(), millis);
    }

    private static Result result(Case of, Verdict verdict, String came, long millis) {
        return new Result(of.name(), of.section(), of.level().word(), verdict, of.expected(), came, millis);
    }
}
