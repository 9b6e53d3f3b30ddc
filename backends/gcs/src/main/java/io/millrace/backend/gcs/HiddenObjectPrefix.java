package io.millrace.backend.gcs;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.InvalidRequestErrors;
import io.millrace.backend.spi.object.ObjectRef;

/** The prefix of the objects in which multipart uploads are kept. Clients neither see nor write them. */
final class HiddenObjectPrefix {
    static final String PREFIX = ".millrace-uploads/";

    /** The first text after all names with the prefix. */
    static final String END = ".millrace-uploads0";

    private HiddenObjectPrefix() {}

    static boolean contains(String name) {
        return name.startsWith(PREFIX);
    }

    /**
     * Checks that clients see an object.
     *
     * @throws BackendException of kind {@link FailureKind#NO_SUCH_KEY} for a hidden object
     */
    static void requireVisible(ObjectRef object) {
        if (contains(object.key().value())) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "names below %s are hidden".formatted(PREFIX));
        }
    }

    /**
     * Checks that clients may write an object.
     *
     * @throws BackendException of kind {@link FailureKind#INVALID_REQUEST} for a hidden object
     */
    static void requireWritable(ObjectRef object) {
        if (contains(object.key().value())) {
            throw InvalidRequestErrors.error(
                    "InvalidArgument", "Names below %s are reserved for uploads in parts".formatted(PREFIX));
        }
    }
}
