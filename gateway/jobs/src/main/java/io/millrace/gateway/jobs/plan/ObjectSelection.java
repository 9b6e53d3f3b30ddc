package io.millrace.gateway.jobs.plan;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The objects of a job: a bucket, a source of names, and a filter.
 *
 * @param bucket as clients name it; the target of a download
 */
public record ObjectSelection(BucketName bucket, Source source, ObjectFilter filter) {
    /**
     * Returns a predicate for the selected keys. It is empty if the names come from a manifest or another job, or
     * depend on sizes and dates.
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

    /** The source of object names. */
    public sealed interface Source {
        /** A listing of the bucket below a prefix. */
        record Listing(String prefix) implements Source {}

        /** URLs of the request, each a {@link UrlListEntry}. */
        record Urls(List<String> lines) implements Source {
            public Urls {
                lines = List.copyOf(lines);
            }
        }

        /** Names with counters; a {@link UrlTemplate} for a download. */
        record Template(NameTemplate names) implements Source {}

        /** Keys of the request. */
        record Keys(List<ObjectKey> keys) implements Source {
            public Keys {
                keys = List.copyOf(keys);
            }
        }

        /**
         * An object that lists keys or URLs.
         *
         * @param in its bucket
         */
        record Manifest(BucketName in, ObjectKey key) implements Source {}

        /**
         * The failures of another job.
         *
         * @param prefix of all of them, which a copy replaces
         */
        record FailuresOf(String job, String prefix) implements Source {}
    }
}
