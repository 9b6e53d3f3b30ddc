package io.millrace.gateway.cluster;

import org.jspecify.annotations.NullUnmarked;

/** A write that a simulated process has accepted. */
@NullUnmarked // a model, where null is what is not there
final class OpenWrite {
    final String origin;
    final String key;

    /** Its version at the backend; null before it took effect. */
    Integer version;

    /** Whether it is on its way to the backend, or its outcome not yet announced. */
    boolean isUnderWay;

    /** Whether it may still take effect without anybody's knowledge. */
    boolean isUnanswered;

    OpenWrite(String origin, String key) {
        this.origin = origin;
        this.key = key;
    }
}
