package io.millrace.loadgen;

/** Receives the progress of a phase once a second, on the thread that runs it. */
@FunctionalInterface
interface ProgressListener {
    /** Receives nothing. */
    ProgressListener NONE = (phase, point, isWarmUp) -> {};

    /** Receives the last interval of a phase. */
    void onInterval(String phase, SeriesPoint point, boolean isWarmUp);
}
