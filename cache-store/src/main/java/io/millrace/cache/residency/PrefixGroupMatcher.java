package io.millrace.cache.residency;

import io.millrace.cache.index.FingerprintHash;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Assigns each key of one bucket to the configured group of objects with the longest matching prefix. A record on disk
 * has a label: 32 bits of a hash of the bucket, and above them 32 of the prefix. If the prefix is no longer in the
 * settings, the record counts for the bucket itself.
 */
final class PrefixGroupMatcher {
    private final int label;

    /** Longest prefix first; the last is the bucket itself, which may have no group. */
    private final List<Node> nodes;

    private final Map<Integer, Integer> byPrefixLabel = new HashMap<>();

    private record Node(String prefix, int number, int label) {}

    /** @param numbers of the groups, by prefix */
    PrefixGroupMatcher(String backend, String bucket, Map<String, Integer> numbers, FingerprintHash hash) {
        this.label = bucketLabel(backend, bucket, hash);
        Map<String, Integer> all = new HashMap<>(numbers);
        all.putIfAbsent("", GroupResidencyCounter.NONE);
        this.nodes = all.entrySet().stream()
                .map(each -> new Node(each.getKey(), each.getValue(), hash("p\0" + each.getKey(), hash)))
                .sorted(Comparator.comparingInt((Node node) -> node.prefix().length())
                        .reversed())
                .toList();
        nodes.forEach(node -> byPrefixLabel.put(node.label(), node.number()));
    }

    /** Returns the label of keys in a bucket without groups. */
    static long unnamed(String backend, String bucket, FingerprintHash hash) {
        return label(bucketLabel(backend, bucket, hash), hash("p\0", hash));
    }

    static int bucketLabel(String backend, String bucket, FingerprintHash hash) {
        return hash("b\0" + backend + '\0' + bucket, hash);
    }

    /** Returns the bucket's part of a label. */
    static int bucketOf(long label) {
        return (int) label;
    }

    int label() {
        return label;
    }

    long labelOf(String key) {
        return label(label, node(key).label());
    }

    int groupOf(String key) {
        return node(key).number();
    }

    int groupOf(long of) {
        return byPrefixLabel.getOrDefault((int) (of >>> 32), node("").number());
    }

    private Node node(String key) {
        for (Node node : nodes) {
            if (key.startsWith(node.prefix())) {
                return node;
            }
        }
        throw new IllegalStateException("the empty prefix has no group");
    }

    private static long label(int bucket, int prefix) {
        return ((long) prefix << 32) | Integer.toUnsignedLong(bucket);
    }

    private static int hash(String text, FingerprintHash hash) {
        return (int) Objects.requireNonNull(hash)
                .of(text.getBytes(StandardCharsets.UTF_8))
                .low();
    }
}
