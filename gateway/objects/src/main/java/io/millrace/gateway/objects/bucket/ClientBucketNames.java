package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Maps buckets of backends to their names for clients, according to the settings. Immutable. */
public final class ClientBucketNames {
    /** The most names shown for one bucket; three dots stand for the others. */
    private static final int MOST = 4;

    private final Map<Place, List<String>> names = new LinkedHashMap<>();
    private final Map<ObjectPrefix, ShownPrefix> prefixes = new LinkedHashMap<>();

    private record Place(String backend, BucketName real) {}

    /** A bucket and a prefix in it as clients name them. */
    public record ShownPrefix(String bucket, String prefix) {}

    public ClientBucketNames(List<BucketSettings> entries) {
        for (BucketSettings entry : entries) {
            if (!entry.name().isPattern()) {
                add(entry, entry.ownName());
            }
        }
        addOwnNames(new BucketSettingsMatcher(entries));
    }

    private void add(BucketSettings entry, BucketName name) {
        Place place = new Place(entry.backend(), entry.backendBucket(name));
        names.computeIfAbsent(place, absent -> new ArrayList<>()).add(name.value());
        addPrefix(entry, place, name.value(), "");
        entry.trackedPrefixes().forEach(prefix -> addPrefix(entry, place, name.value(), prefix));
    }

    private void addPrefix(BucketSettings entry, Place place, String name, String prefix) {
        prefixes.putIfAbsent(
                new ObjectPrefix(place.backend(), place.real(), entry.prefix() + prefix),
                new ShownPrefix(name, prefix));
    }

    /** Adds the backend's own name of a bucket in the settings if a pattern shows it as well. */
    private void addOwnNames(BucketSettingsMatcher entries) {
        names.forEach((place, existing) -> {
            if (entries.isOfPattern(place.real(), place.backend())) {
                existing.add(place.real().value());
            }
        });
    }

    /**
     * Returns the buckets of a backend that the settings name, by the backend's names, in the order of the settings.
     */
    public List<BucketName> on(String backend) {
        return names.keySet().stream()
                .filter(place -> place.backend().equals(backend))
                .map(Place::real)
                .toList();
    }

    /** Returns the client names of a bucket, joined by commas; empty if the settings do not name it. */
    public Optional<String> find(String backend, BucketName real) {
        return Optional.ofNullable(names.get(new Place(backend, real))).map(ClientBucketNames::joined);
    }

    /** Returns the client names of a bucket; its own name if the settings do not name it, as for a pattern. */
    public String of(String backend, BucketName real) {
        return find(backend, real).orElseGet(real::value);
    }

    /** Returns the client name of a tracked prefix, taken from the first entry that has it. */
    public ShownPrefix of(ObjectPrefix counted) {
        ShownPrefix existing = prefixes.get(counted);
        return existing == null ? new ShownPrefix(counted.bucket().value(), counted.prefix()) : existing;
    }

    private static String joined(List<String> names) {
        String first = String.join(",", names.subList(0, Math.min(MOST, names.size())));
        return names.size() > MOST ? first + ",..." : first;
    }
}
