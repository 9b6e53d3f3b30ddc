package io.millrace.backend.hub;

import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.object.BucketName;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The kind of a repository. Each kind is a bucket at the backend. */
enum RepositoryKind {
    MODELS(""),
    DATASETS("/datasets"),
    SPACES("/spaces");

    /** The names of all kinds, for people. */
    static final String BUCKETS = "Its buckets are models, datasets and spaces";

    private final String filePrefix;

    RepositoryKind(String filePrefix) {
        this.filePrefix = filePrefix;
    }

    /** Returns the kind whose bucket this is; empty if it is none. */
    static Optional<RepositoryKind> of(BucketName bucket) {
        return Arrays.stream(values())
                .filter(kind -> kind.text().equals(bucket.value()))
                .findFirst();
    }

    /**
     * Returns the kind whose bucket this is.
     *
     * @throws BackendException of kind NO_SUCH_BUCKET if it is none
     */
    static RepositoryKind require(BucketName bucket) {
        return of(bucket)
                .orElseThrow(() -> new BackendException(
                                FailureKind.NO_SUCH_BUCKET,
                                "the Hub has no bucket called %s. %s".formatted(bucket, BUCKETS))
                        .asUnprocessed());
    }

    /** Returns the name in the paths of the API, which is also that of the bucket. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the path before the names of repositories in the URLs of files. */
    String filePrefix() {
        return filePrefix;
    }
}
