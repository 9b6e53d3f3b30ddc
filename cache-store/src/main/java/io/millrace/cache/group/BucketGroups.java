package io.millrace.cache.group;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/** The groups of one bucket: prefixes, of which the longest that fits has a key. Those that enclose it have it too. */
final class BucketGroups {
    private final int label;

    /** The longest first; the last is the bucket itself, whether or not that was named. */
    private final List<Node> nodes;

    private final Map<Integer, Integer> byLabel = new HashMap<>();

    /** @param number of the group; {@link Groups#NONE} for a bucket that was not named itself */
    private record Node(String prefix, int number, long label) {}

    /** @param byPrefix numbers of the groups */
    BucketGroups(int label, NavigableMap<String, Integer> byPrefix, Labels labels) {
        this.label = label;
        List<String> prefixes = new ArrayList<>(byPrefix.keySet());
        if (!byPrefix.containsKey("")) {
            prefixes.add(0, "");
        }
        nodes = prefixes.stream()
                .map(prefix -> new Node(
                        prefix,
                        byPrefix.getOrDefault(prefix, Groups.NONE),
                        Labels.of(label, labels.prefix(prefix, rightBelow(prefix, prefixes)))))
                .sorted(Comparator.comparingInt((Node node) -> node.prefix().length())
                        .reversed())
                .toList();
        // Two that have one label are not told apart by it.
        nodes.forEach(node -> byLabel.merge(Labels.prefix(node.label()), node.number(), (a, b) -> Groups.UNKNOWN));
    }

    int label() {
        return label;
    }

    long labelOf(String key) {
        return node(key).label();
    }

    int groupOf(String key) {
        return node(key).number();
    }

    int group(int prefixLabel) {
        return byLabel.getOrDefault(prefixLabel, Groups.UNKNOWN);
    }

    private Node node(String key) {
        for (Node node : nodes) {
            if (key.startsWith(node.prefix())) {
                return node;
            }
        }
        throw new IllegalStateException("the bucket itself has every key");
    }

    private static List<String> rightBelow(String prefix, List<String> sorted) {
        List<String> below = new ArrayList<>();
        for (String other : sorted) {
            boolean isBelow = other.startsWith(prefix) && !other.equals(prefix);
            // In order, what encloses another comes before it.
            if (isBelow && below.stream().noneMatch(other::startsWith)) {
                below.add(other);
            }
        }
        return below;
    }
}
