package io.millrace.backend.testkit.fault;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Selects the fault of each call of a {@link FaultyBackend}. Called once a call, from any thread. */
@FunctionalInterface
public interface FaultPlan {
    /** An operation of a backend. */
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
     * A call of a backend.
     *
     * @param number the number of earlier calls of this operation
     */
    record Call(Operation operation, long number) {}

    /** Returns the fault of this call. */
    BackendFault next(Call call);

    /** Returns a plan without faults. */
    static FaultPlan none() {
        return call -> BackendFault.NONE;
    }

    /** Returns a plan with this fault for each call. */
    static FaultPlan always(BackendFault fault) {
        return call -> fault;
    }

    /** Returns a plan with these faults for the first calls in order, and none later. */
    static FaultPlan script(BackendFault... faults) {
        Queue<BackendFault> left = new ConcurrentLinkedQueue<>(List.of(faults));
        return call -> {
            BackendFault next = left.poll();
            return next == null ? BackendFault.NONE : next;
        };
    }

    /** Returns a plan that fails the first {@code times} calls. */
    static FaultPlan failing(int times, BackendException.FailureKind kind) {
        BackendFault[] faults = new BackendFault[times];
        Arrays.fill(faults, new BackendFault.FailedCall(kind));
        return script(faults);
    }

    /**
     * Returns a plan with one of these faults for a share of the calls. The same seed, operation and number always get
     * the same fault.
     *
     * @param share 0 to 1
     */
    static FaultPlan seeded(long seed, double share, List<BackendFault> faults) {
        return call -> {
            GeneratedBytes dice = new GeneratedBytes(call.operation().name(), seed);
            int throwOf = (dice.at(8 * call.number()) & 0xFF) << 8 | (dice.at(8 * call.number() + 1) & 0xFF);
            int choice = dice.at(8 * call.number() + 2) & 0xFF;
            return throwOf < share * 65_536 ? faults.get(choice % faults.size()) : BackendFault.NONE;
        };
    }

    /** Returns this plan limited to calls of one operation. */
    default FaultPlan only(Operation operation) {
        return call -> call.operation() == operation ? next(call) : BackendFault.NONE;
    }
}
