package io.millrace.backend.azure;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.BackendException.S3Error;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectRef;
import java.util.regex.Pattern;

/**
 * Decides which buckets and keys can be containers and blobs. Azure resolves the components {@code .} and {@code ..} of
 * a name, and reads a backslash as a slash, so that such a key would be another one there.
 *
 * @see <a
 * href="https://learn.microsoft.com/rest/api/storageservices/naming-and-referencing-containers--blobs--and-metadata">Naming
 * containers and blobs</a>
 */
final class BlobNameRules {
    /** Begins the names of Millrace's own blobs, which clients neither see nor reach. */
    static final String HIDDEN = ".millrace/";

    /** The names of containers, for people. */
    static final String CONTAINER_NAMES =
            "A container's name has 3 to 63 lower-case letters, digits and single hyphens";

    private static final Pattern CONTAINER = Pattern.compile("[a-z0-9](?:-?[a-z0-9])*");
    private static final int MAX_CONTAINER_LENGTH = 63;
    private static final int MAX_COMPONENTS = 254;

    private BlobNameRules() {}

    static boolean isContainer(BucketName bucket) {
        String name = bucket.value();
        return name.length() <= MAX_CONTAINER_LENGTH && CONTAINER.matcher(name).matches();
    }

    /** Throws NO_SUCH_BUCKET if no container can have this name. */
    static void requireContainer(BucketName bucket) {
        if (!isContainer(bucket)) {
            throw new BackendException(
                            FailureKind.NO_SUCH_BUCKET,
                            "no container can be called %s. %s".formatted(bucket, CONTAINER_NAMES))
                    .asUnprocessed();
        }
    }

    /** Throws what a read of an object fails with that cannot exist. */
    static void requireReadable(ObjectRef object) {
        requireContainer(object.bucket());
        if (!isBlob(object.key().value())) {
            throw new BackendException(FailureKind.NO_SUCH_KEY, "no blob can have this name").asUnprocessed();
        }
    }

    /** Throws what a write fails with to an object that cannot exist. */
    static void requireWritable(ObjectRef object) {
        requireContainer(object.bucket());
        if (!isBlob(object.key().value())) {
            String message = "Azure cannot hold this key: no component may be . or .., none may have a backslash or a"
                    + " control character, there may be 254 of them, and .millrace/ is reserved";
            throw new BackendException(FailureKind.INVALID_REQUEST, message)
                    .withS3Error(new S3Error(400, "InvalidArgument", message))
                    .asUnprocessed();
        }
    }

    static boolean isBlob(String key) {
        if (key.startsWith(HIDDEN) || !mayBePart(key)) {
            return false;
        }
        String[] components = key.split("/", -1);
        if (components.length > MAX_COMPONENTS) {
            return false;
        }
        for (String component : components) {
            if (component.equals(".") || component.equals("..")) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether a name may have this text in it: no backslash, control character, or what XML 1.0 has no way to
     * write.
     */
    static boolean mayBePart(String text) {
        return text.chars().noneMatch(c -> c < ' ' || c == '\\' || c == 0xFFFE || c == 0xFFFF);
    }
}
