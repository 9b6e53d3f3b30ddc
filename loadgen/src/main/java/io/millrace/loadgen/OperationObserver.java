package io.millrace.loadgen;

/** Receives the measurement of every operation, on its event loop. */
@FunctionalInterface
interface OperationObserver {
    /** Observes nothing. */
    OperationObserver NONE = measurement -> {};

    /** Receives a measurement. */
    void onEnd(Measurement measurement);
}
