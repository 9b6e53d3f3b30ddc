package io.millrace.cache;

import io.millrace.backend.spi.BucketName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Of which keys nothing is believed that was known before: prefixes, each with the sequence number that a head must have at least.
 * Bounded in number and in characters: when there are too many, those of the bucket that has the most become their folders', and at
 * last one for everything. That doubts more than
 * was asked for, never less. Safe for use by any number of threads.
 */
final class InvalidatedPrefixes {
    static final int MOST = 10_000;

    /** Of all prefixes together, two bytes each. */
    static final int MOST_CHARACTERS = 1 << 20;

    /** One of them. */
    record Mark(Optional<ObjectPrefix> below, long sequence) {}

    private record Place(String backend, BucketName bucket) {}

    private final ConcurrentMap<Place, ConcurrentSkipListMap<String, Long>> places = new ConcurrentHashMap<>();
    private final int most;
    private final int mostCharacters;
    private volatile long everything;
    private int count;
    private int characters;

    InvalidatedPrefixes() {
        this(MOST, MOST_CHARACTERS);
    }

    InvalidatedPrefixes(int most, int mostCharacters) {
        this.most = most;
        this.mostCharacters = mostCharacters;
    }

    /**
     * Whether a head with this number must be asked for before it is used. Takes as many steps as the key has characters at most, and
     * none where nothing was invalidated in its bucket.
     */
    boolean covers(ObjectId id, long sequence) {
        if (sequence < everything) {
            return true;
        }
        if (places.isEmpty()) {
            return false;
        }
        ConcurrentSkipListMap<String, Long> marks =
                places.get(new Place(id.backend(), id.object().bucket()));
        return marks != null && covers(marks, id.object().key().value(), sequence);
    }

    /** From now on heads below it with a lower number than this one, the highest so far, are to be asked for. */
    synchronized void add(ObjectPrefix below, long sequence) {
        ConcurrentSkipListMap<String, Long> marks = places.computeIfAbsent(
                new Place(below.backend(), below.bucket()), place -> new ConcurrentSkipListMap<>());
        // Put before narrower ones go: a key must not be without.
        if (marks.put(below.prefix(), sequence) == null) {
            count++;
            characters += below.prefix().length();
        }
        for (String narrower : marks.tailMap(below.prefix(), false).keySet()) {
            if (!narrower.startsWith(below.prefix())) {
                break;
            }
            marks.remove(narrower);
            count--;
            characters -= narrower.length();
        }
        if (count > most || characters > mostCharacters) {
            fold();
        }
    }

    /** From now on every head with a lower number is to be asked for. */
    synchronized void addEverything(long sequence) {
        everything = Math.max(everything, sequence);
        places.clear();
        count = 0;
        characters = 0;
    }

    /** All of them, in the order of their numbers. */
    synchronized List<Mark> all() {
        List<Mark> marks = new ArrayList<>();
        if (everything > 0) {
            marks.add(new Mark(Optional.empty(), everything));
        }
        places.forEach((place, prefixes) -> prefixes.forEach((prefix, sequence) ->
                marks.add(new Mark(Optional.of(new ObjectPrefix(place.backend(), place.bucket(), prefix)), sequence))));
        marks.sort(Comparator.comparingLong(Mark::sequence));
        return marks;
    }

    /** Goes from one candidate to the next shorter one: what lies between a key and the greatest mark below it is no prefix of it. */
    private static boolean covers(ConcurrentSkipListMap<String, Long> marks, String key, long sequence) {
        Map.Entry<String, Long> mark = marks.floorEntry(key);
        while (mark != null) {
            String prefix = mark.getKey();
            int common = common(key, prefix);
            if (common < prefix.length()) {
                mark = marks.floorEntry(key.substring(0, common));
            } else if (sequence < mark.getValue()) {
                return true;
            } else {
                mark = marks.lowerEntry(prefix);
            }
        }
        return false;
    }

    private static int common(String one, String other) {
        int most = Math.min(one.length(), other.length());
        int length = 0;
        while (length < most && one.charAt(length) == other.charAt(length)) {
            length++;
        }
        return length;
    }

    private void fold() {
        while (count > most / 2 || characters > mostCharacters / 2) {
            boolean inNumber = count > most / 2;
            Map.Entry<Place, ConcurrentSkipListMap<String, Long>> largest = places.entrySet().stream()
                    .max(Comparator.comparingInt(place -> weight(place.getValue(), inNumber)))
                    .orElseThrow();
            if (inNumber && largest.getValue().size() == 1) {
                addEverything(all().stream().mapToLong(Mark::sequence).max().orElseThrow());
                return;
            }
            places.put(largest.getKey(), folders(largest.getValue()));
            count = places.values().stream().mapToInt(Map::size).sum();
            characters = places.values().stream()
                    .mapToInt(InvalidatedPrefixes::characters)
                    .sum();
        }
    }

    /** How much of what there is too much of. */
    private static int weight(ConcurrentSkipListMap<String, Long> marks, boolean inNumber) {
        return inNumber ? marks.size() : characters(marks);
    }

    private static int characters(ConcurrentSkipListMap<String, Long> marks) {
        return marks.keySet().stream().mapToInt(String::length).sum();
    }

    private static ConcurrentSkipListMap<String, Long> folders(Map<String, Long> marks) {
        ConcurrentSkipListMap<String, Long> folders = new ConcurrentSkipListMap<>();
        marks.forEach((prefix, sequence) -> {
            int slash = prefix.length() < 2 ? -1 : prefix.lastIndexOf('/', prefix.length() - 2);
            folders.merge(prefix.substring(0, slash + 1), sequence, Math::max);
        });
        return folders;
    }
}
