package io.millrace.gateway.fuzz;

import java.util.Locale;

/** What can be fuzzed. */
enum Kind {
    SIGNATURE,
    AWS_CHUNKED,
    REQUEST_TARGET,
    RANGE,
    COPY_SOURCE,
    XML,
    POST_FORM,
    BATCH;

    /**
     * The one of this name, {@code post-form}.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Kind of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    FuzzTarget newTarget() {
        return switch (this) {
            case SIGNATURE -> new SignatureTarget();
            case AWS_CHUNKED -> new ChunkedTarget();
            case REQUEST_TARGET -> new PathTarget();
            case RANGE -> new RangeTarget();
            case COPY_SOURCE -> new CopySourceTarget();
            case XML -> new XmlTarget();
            case POST_FORM -> new FormTarget();
            case BATCH -> new BatchTarget();
        };
    }

    /** The folder of its corpus. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
