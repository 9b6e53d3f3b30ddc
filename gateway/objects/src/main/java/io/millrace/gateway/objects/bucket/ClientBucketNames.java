package io.millrace.gateway.objects.bucket;

import io.millrace.backend.spi.object.BucketName;
import io.millrace.cache.metadata.ObjectPrefix;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Maps buckets of backends to their names for clients, according to the settings. Immutable. */
public final class ClientBucketNames {
    /** The most names shown for one bucket; three dots stand for the others. */
    private static final int MOST = 4;

    private final Map<Place, List<String>> names = new LinkedHashMap<>();

    /** Buckets in the settings that a pattern shows by the backend's own name as well. */
    private final Set<Place> shownByPattern = new HashSet<>();

    private final Map<ObjectPrefix, List<ShownPrefix>> prefixes = new LinkedHashMap<>();

    /** The prefixes of the entries of each bucket that is named, in their order; that of a pattern last. */
    private final Map<Place, Set<String>> confinements = new LinkedHashMap<>();

    /** The buckets that are derived from one that no entry of its own names, but a pattern. */
    private final Map<Place, List<String>> derived = new HashMap<>();

    private final BucketSettingsMatcher matcher;

    private record Place(String backend, BucketName real) {}

    /** A bucket and a prefix in it as clients name them. */
    public record ShownPrefix(String bucket, String prefix) {}

    public ClientBucketNames(List<BucketSettings> entries) {
        matcher = new BucketSettingsMatcher(entries);
        for (BucketSettings entry : entries) {
            if (!entry.name().isPattern()) {
                add(entry, entry.ownName());
            }
            entry.derived()
                    .map(DerivedSettings::from)
                    .ifPresent(from -> addSource(from, entry.name().value()));
        }
        confinements.forEach((place, shown) -> patternOf(place).ifPresent(pattern -> {
            shownByPattern.add(place);
            shown.add(pattern.prefix());
        }));
    }

    /** A bucket that another is derived from is one that the settings name, also if a pattern serves it. */
    private void addSource(BucketName from, String ofIt) {
        matcher.of(from).filter(entry -> entry.name().isPattern()).ifPresent(pattern -> {
            add(pattern, from);
            derived.computeIfAbsent(
                            new Place(pattern.backend(), pattern.backendBucket(from)), absent -> new ArrayList<>())
                    .add(ofIt);
        });
    }

    private Optional<BucketSettings> patternOf(Place place) {
        return matcher.of(place.real()).filter(entry -> isOfPattern(place.backend(), place.real()));
    }

    private void add(BucketSettings entry, BucketName name) {
        Place place = new Place(entry.backend(), entry.backendBucket(name));
        List<String> shown = names.computeIfAbsent(place, absent -> new ArrayList<>());
        if (!shown.contains(name.value())) {
            shown.add(name.value());
        }
        confinements.computeIfAbsent(place, absent -> new LinkedHashSet<>()).add(entry.prefix());
        addPrefix(entry, place, name.value(), "");
        entry.trackedPrefixes().forEach(prefix -> addPrefix(entry, place, name.value(), prefix));
    }

    private void addPrefix(BucketSettings entry, Place place, String name, String prefix) {
        List<ShownPrefix> shown = prefixes.computeIfAbsent(
                new ObjectPrefix(place.backend(), place.real(), entry.prefix() + prefix), absent -> new ArrayList<>());
        ShownPrefix added = new ShownPrefix(name, prefix);
        if (!shown.contains(added)) {
            shown.add(added);
        }
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

    /**
     * Returns the prefixes at the backend to which the settings confine a bucket, in their order. The empty prefix
     * alone if an entry or a pattern shows all of it, or none names it.
     */
    public List<String> prefixesIn(String backend, BucketName real) {
        Set<String> all = confinements.getOrDefault(new Place(backend, real), Set.of(""));
        return all.contains("") ? List.of("") : List.copyOf(all);
    }

    /** Returns the buckets for which alone the settings name one that a pattern serves: they are derived from it. */
    public List<String> derivedFrom(String backend, BucketName real) {
        return List.copyOf(derived.getOrDefault(new Place(backend, real), List.of()));
    }

    /** Returns whether a pattern shows a bucket of a backend, by its name there. */
    public boolean isOfPattern(String backend, BucketName real) {
        return matcher.isOfPattern(real, backend);
    }

    /** Returns all names that the settings give buckets. */
    public List<String> all() {
        return names.values().stream().flatMap(List::stream).distinct().toList();
    }

    /** Returns the names that the settings give a bucket, in their order; its own name if they give it none. */
    public List<String> inSettings(String backend, BucketName real) {
        return List.copyOf(names.getOrDefault(new Place(backend, real), List.of(real.value())));
    }

    /** Returns the client names of a bucket, joined by {@code ", "}; empty if the settings do not name it. */
    public Optional<String> find(String backend, BucketName real) {
        Place place = new Place(backend, real);
        return Optional.ofNullable(names.get(place)).map(own -> joined(place, own));
    }

    /** Returns the client names of a bucket; its own name if the settings do not name it, as for a pattern. */
    public String of(String backend, BucketName real) {
        return find(backend, real).orElseGet(real::value);
    }

    /** Returns the client name of a tracked prefix, taken from the first entry that has it. */
    public ShownPrefix of(ObjectPrefix counted) {
        return allOf(counted).get(0);
    }

    /** Returns all client names of a tracked prefix: several entries may show the same objects. */
    public List<ShownPrefix> allOf(ObjectPrefix counted) {
        return List.copyOf(prefixes.getOrDefault(
                counted, List.of(new ShownPrefix(counted.bucket().value(), counted.prefix()))));
    }

    private String joined(Place place, List<String> own) {
        List<String> all = new ArrayList<>(own);
        if (shownByPattern.contains(place) && !all.contains(place.real().value())) {
            all.add(place.real().value());
        }
        String first = String.join(", ", all.subList(0, Math.min(MOST, all.size())));
        return all.size() > MOST ? first + ", ..." : first;
    }
}
