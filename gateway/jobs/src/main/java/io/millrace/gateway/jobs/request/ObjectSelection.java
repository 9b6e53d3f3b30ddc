package io.millrace.gateway.jobs.request;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.gateway.jobs.plan.KeyFilter;
import io.millrace.gateway.jobs.plan.NameTemplate;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Which objects a job is about.
 *
 * @param bucket as clients name it; of a download the one it goes to
 */
public record ObjectSelection(BucketName bucket, Source source, KeyFilter filter) {
    /**
     * Whether a key is one of them, if that can be told without asking anybody; empty where the names are told elsewhere or depend on
     * sizes and dates.
     */
    public Optional<Predicate<String>> names() {
        if (filter.needsList()) {
            return Optional.empty();
        }
        Optional<Predicate<String>> named = Optional.empty();
        if (source instanceof Source.Listing listing) {
            named = Optional.of(key -> key.startsWith(listing.prefix()));
        } else if (source instanceof Source.Template template) {
            named = Optional.of(template.names()::has);
        } else if (source instanceof Source.Keys keys) {
            Set<String> all = keys.keys().stream().map(ObjectKey::value).collect(Collectors.toSet());
            named = Optional.of(all::contains);
        }
        return named.map(names -> names.and(filter::takesName));
    }

    /** Where their names come from. */
    public sealed interface Source {
        /** The bucket's own list, of what begins so. */
        record Listing(String prefix) implements Source {}

        /** URLs that were told, each a {@link UrlListEntry}. */
        record Urls(List<String> lines) implements Source {
            public Urls {
                lines = List.copyOf(lines);
            }
        }

        /** Names that are counted up; of a download a {@link UrlTemplate}. */
        record Template(NameTemplate names) implements Source {}

        /** Names that were told. */
        record Keys(List<ObjectKey> keys) implements Source {
            public Keys {
                keys = List.copyOf(keys);
            }
        }

        /**
         * An object that lists names, or URLs.
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
