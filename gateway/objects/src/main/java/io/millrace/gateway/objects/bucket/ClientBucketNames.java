package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The names that clients use for buckets of backends, as the operator's file has them. Immutable. */
public final class ClientBucketNames {
    /** Names of one bucket that are told; a bucket with more views than anybody reads has three dots for the rest. */
    private static final int MOST = 4;

    private final Map<Place, List<String>> names = new LinkedHashMap<>();
    private final Map<ObjectPrefix, ShownPrefix> prefixes = new LinkedHashMap<>();

    private record Place(String backend, BucketName real) {}

    /** A bucket and a prefix in it as clients name them. */
    public record ShownPrefix(String bucket, String prefix) {}

    public ClientBucketNames(List<BucketSettings> entries) {
        for (BucketSettings entry : entries) {
            if (!entry.name().isPattern()) {
                add(entry, entry.name().value());
            }
        }
        addOwnNames(entries);
    }

    private void add(BucketSettings entry, String name) {
        Place place = new Place(entry.backend(), entry.real(new BucketName(name)));
        names.computeIfAbsent(place, absent -> new ArrayList<>()).add(name);
        addPrefix(entry, place, name, "");
        entry.residency().forEach(prefix -> addPrefix(entry, place, name, prefix));
    }

    private void addPrefix(BucketSettings entry, Place place, String name, String prefix) {
        prefixes.putIfAbsent(
                new ObjectPrefix(place.backend(), place.real(), entry.prefix() + prefix),
                new ShownPrefix(name, prefix));
    }

    /** A bucket that the file names may be shown under its own name as well, by a pattern. */
    private void addOwnNames(List<BucketSettings> entries) {
        names.forEach((place, known) -> entries.stream()
                .filter(entry -> entry.name().matches(place.real()))
                .findFirst()
                .filter(entry -> entry.name().isPattern() && entry.backend().equals(place.backend()))
                .ifPresent(entry -> known.add(place.real().value())));
    }

    /** The buckets of a backend that the file names, by the backend's names, in the file's order. */
    public List<BucketName> on(String backend) {
        return names.keySet().stream()
                .filter(place -> place.backend().equals(backend))
                .map(Place::real)
                .toList();
    }

    /** The names of a bucket, joined by commas where several entries show it; empty if the file does not name it. */
    public Optional<String> find(String backend, BucketName real) {
        return Optional.ofNullable(names.get(new Place(backend, real))).map(ClientBucketNames::joined);
    }

    /** The same; its own name if the file does not name it, as patterns have it. */
    public String of(String backend, BucketName real) {
        return find(backend, real).orElseGet(real::value);
    }

    /** The name of what is counted in the cache: that of the first entry which counts it. */
    public ShownPrefix of(ObjectPrefix counted) {
        ShownPrefix known = prefixes.get(counted);
        return known == null ? new ShownPrefix(counted.bucket().value(), counted.prefix()) : known;
    }

    private static String joined(List<String> names) {
        String first = String.join(",", names.subList(0, Math.min(MOST, names.size())));
        return names.size() > MOST ? first + ",..." : first;
    }
}
