package io.millrace.gateway.job;

import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.gateway.job.plan.KeyFilter;
import io.millrace.gateway.job.plan.NameTemplate;
import java.util.List;

/**
 * Which objects a job is about.
 *
 * @param bucket as clients name it
 */
public record Selection(BucketName bucket, Source source, KeyFilter filter) {
    /** Where their names come from. */
    public sealed interface Source {
        /** The bucket's own list, of what begins so. */
        record Listing(String prefix) implements Source {}

        /** Names that are counted up. */
        record Template(NameTemplate names) implements Source {}

        /** Names that were told. */
        record Keys(List<ObjectKey> keys) implements Source {
            public Keys {
                keys = List.copyOf(keys);
            }
        }

        /**
         * An object that lists names.
         *
         * @param in the bucket where it is
         */
        record Manifest(BucketName in, ObjectKey key) implements Source {}

        /**
         * What failed in another job.
         *
         * @param prefix what all of it begins with, for a copy to stand another in its place
         */
        record FailuresOf(String job, String prefix) implements Source {}
    }
}
