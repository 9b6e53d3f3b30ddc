package io.millrace.gateway.objects.bucket;

import io.millrace.config.DataSize;
import io.millrace.config.SettingDescription;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A rule of a bucket that decides whether objects with matching keys are cached. */
public record CacheRule(
        @SettingDescription(
                value = "The keys that the rule applies to: * stands for any characters, including slashes, and ? for"
                        + " one.",
                defaultValue = "\"*\"",
                example = "\"tmp/*\"")
        KeyPattern keys,

        @SettingDescription(
                value = "Whether these objects are stored. Otherwise every read goes to the backend.",
                defaultValue = "true")
        boolean store,

        @SettingDescription("Smaller objects are not stored.")
        Optional<DataSize> minSize,

        @SettingDescription("Larger objects are not stored.")
        Optional<DataSize> maxSize) {

    /** @throws IllegalArgumentException if the limits exclude every size */
    public CacheRule {
        if (minSize.isPresent() && maxSize.isPresent() && minSize.get().compareTo(maxSize.get()) > 0) {
            throw new IllegalArgumentException(
                    "no object is at least %s and at most %s: write store: false, or other sizes"
                            .formatted(minSize.get(), maxSize.get()));
        }
    }

    /** Returns whether the rule limits the size of cached objects. */
    public boolean hasLimits() {
        return minSize.isPresent() || maxSize.isPresent();
    }

    /** Describes the size limits in words. */
    public String limits() {
        return Stream.concat(
                        minSize.map("at least %s"::formatted).stream(), maxSize.map("at most %s"::formatted).stream())
                .collect(Collectors.joining(" and "));
    }

    boolean takes(long size) {
        return store
                && minSize.map(least -> size >= least.bytes()).orElse(true)
                && maxSize.map(most -> size <= most.bytes()).orElse(true);
    }
}
