package io.millrace.backend.testkit;

import io.millrace.backend.spi.BackendException;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Which calls of a {@link FaultyBackend} go wrong, and how. Asked once a call, from any thread. */
@FunctionalInterface
public interface FaultPlan {
    /** What a backend is asked for. */
    enum Operation {
        HEAD,
        OPEN,
        LIST,
        BUCKETS,
        BUCKET,
        PUT,
        COPY,
        DELETE,
        CREATE_UPLOAD,
        PUT_PART,
        COPY_PART,
        COMPLETE_UPLOAD,
        ABORT_UPLOAD,
        CREATE_BUCKET,
        DELETE_BUCKET
    }

    /**
     * One call.
     *
     * @param number how many calls of this operation came before it
     */
    record Call(Operation operation, long number) {}

    /** What becomes of this call. */
    Fault next(Call call);

    /** All goes well. */
    static FaultPlan none() {
        return call -> Fault.NONE;
    }

    /** Each call goes wrong in this way. */
    static FaultPlan always(Fault fault) {
        return call -> fault;
    }

    /** The first calls go wrong in these ways, one after the other; then all goes well. */
    static FaultPlan script(Fault... faults) {
        Queue<Fault> left = new ConcurrentLinkedQueue<>(List.of(faults));
        return call -> {
            Fault next = left.poll();
            return next == null ? Fault.NONE : next;
        };
    }

    /** The first {@code times} calls are refused; then all goes well. */
    static FaultPlan failing(int times, BackendException.Kind kind) {
        Fault[] faults = new Fault[times];
        Arrays.fill(faults, new Fault.Fail(kind));
        return script(faults);
    }

    /**
     * A share of the calls goes wrong, each in one of these ways. The same seed, operation and number always get the same.
     *
     * @param share 0 to 1
     */
    static FaultPlan seeded(long seed, double share, List<Fault> faults) {
        return call -> {
            Bytes dice = new Bytes(call.operation().name(), seed);
            int throwOf = (dice.at(8 * call.number()) & 0xFF) << 8 | (dice.at(8 * call.number() + 1) & 0xFF);
            int choice = dice.at(8 * call.number() + 2) & 0xFF;
            return throwOf < share * 65_536 ? faults.get(choice % faults.size()) : Fault.NONE;
        };
    }

    /** This plan for calls of one operation; all others go well. */
    default FaultPlan only(Operation operation) {
        return call -> call.operation() == operation ? next(call) : Fault.NONE;
    }
}
