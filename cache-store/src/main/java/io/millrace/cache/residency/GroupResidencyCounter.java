package io.millrace.cache.residency;

import io.millrace.cache.eviction.AdmissionAndEvictionPolicy;
import io.millrace.cache.eviction.QuotaController;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.IndexChangeListener;
import io.millrace.cache.index.IndexSampler;
import io.millrace.cache.metadata.ObjectId;
import io.millrace.cache.metadata.ObjectIdCodec;
import io.millrace.cache.metadata.ObjectPrefix;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Counts cached blocks and bytes by groups of objects (bucket and prefix) that an operator has configured. A block
 * belongs to the group with the longest matching prefix, and counts for enclosing groups, too. The index stores a group
 * number in each entry and reports changes; records on disk have a label, see {@link PrefixGroupMatcher}. Nothing is
 * kept for each entry here. Safe for use by any number of threads.
 */
public final class GroupResidencyCounter implements IndexChangeListener {
    /** The number of entries without a group. */
    public static final int NONE = 0;

    /** The highest number of groups, because each has some meters. */
    public static final int MOST = 1000;

    private static final int BLOCKS = 0;
    private static final int BYTES = 1;
    private static final int COUNTERS = 2;

    private final List<Group> groups;
    private final Map<Scope, PrefixGroupMatcher> byBucket = new HashMap<>();
    private final Map<Integer, PrefixGroupMatcher> byLabel = new HashMap<>();
    private final FingerprintHash hash;
    private final AtomicLongArray counters;
    private final boolean hasQuotas;
    private volatile LongSupplier bound = () -> 0;

    private record Scope(String backend, String bucket) {
        static Scope of(ObjectPrefix objects) {
            return new Scope(objects.backend(), objects.bucket().value());
        }
    }

    /** @param enclosing number of the group with the next shorter prefix, or {@link #NONE} */
    private record Group(
            ResidencyGroup counted, int enclosing, @Nullable QuotaController quota) {}

    /** @param counted groups with distinct prefixes, at most {@link #MOST} */
    public GroupResidencyCounter(
            List<ResidencyGroup> counted, FingerprintHash hash, AdmissionAndEvictionPolicy policy) {
        if (counted.size() > MOST) {
            throw new IllegalArgumentException("more than %d groups".formatted(MOST));
        }
        this.hash = hash;
        this.counters = new AtomicLongArray(COUNTERS * (counted.size() + 1));
        this.groups = groups(counted, policy);
        this.hasQuotas = groups.stream().anyMatch(group -> group.quota() != null);
        numbered(counted).forEach((scope, byPrefix) -> {
            PrefixGroupMatcher bucket = new PrefixGroupMatcher(scope.backend(), scope.bucket(), byPrefix, hash);
            byBucket.put(scope, bucket);
            byLabel.put(bucket.label(), bucket);
        });
    }

    /** Returns an instance without groups. */
    public static GroupResidencyCounter none(FingerprintHash hash) {
        return new GroupResidencyCounter(List.of(), hash, AdmissionAndEvictionPolicy.frequency(1 << 10));
    }

    private static Map<Scope, Map<String, Integer>> numbered(List<ResidencyGroup> counted) {
        Map<Scope, Map<String, Integer>> numbered = new HashMap<>();
        for (int i = 0; i < counted.size(); i++) {
            ObjectPrefix objects = counted.get(i).objects();
            numbered.computeIfAbsent(Scope.of(objects), scope -> new HashMap<>())
                    .put(objects.prefix(), i + 1);
        }
        return numbered;
    }

    private List<Group> groups(List<ResidencyGroup> counted, AdmissionAndEvictionPolicy policy) {
        List<Group> made = new ArrayList<>();
        for (int i = 0; i < counted.size(); i++) {
            int number = i + 1;
            @Nullable QuotaController quota = counted.get(i)
                    .quota()
                    .map(part -> new QuotaController(() -> part.of(bound.getAsLong()), () -> bytes(number), policy))
                    .orElse(null);
            made.add(new Group(counted.get(i), enclosing(counted, i), quota));
        }
        return made;
    }

    private static int enclosing(List<ResidencyGroup> counted, int of) {
        ObjectPrefix inner = counted.get(of).objects();
        int found = NONE;
        int length = -1;
        for (int i = 0; i < counted.size(); i++) {
            ObjectPrefix outer = counted.get(i).objects();
            boolean encloses = i != of
                    && Scope.of(outer).equals(Scope.of(inner))
                    && inner.prefix().startsWith(outer.prefix());
            if (encloses && outer.prefix().length() > length) {
                found = i + 1;
                length = outer.prefix().length();
            }
        }
        return found;
    }

    /** Sets the size of the cache in bytes, which percentages refer to. */
    public void cacheSize(LongSupplier bytes) {
        bound = bytes;
    }

    /** Returns the label that a record on disk gets; 0 if the identity cannot be decoded. */
    public long label(ByteBuffer identity) {
        return ObjectIdCodec.decode(identity).map(this::label).orElse(0L);
    }

    private long label(ObjectId id) {
        PrefixGroupMatcher bucket = bucket(id);
        return bucket == null
                ? PrefixGroupMatcher.unnamed(id.backend(), id.object().bucket().value(), hash)
                : bucket.labelOf(id.object().key().value());
    }

    /** Returns the group of a label: a number, or {@link #NONE}. */
    public int group(long label) {
        PrefixGroupMatcher bucket = byLabel.get(PrefixGroupMatcher.bucketOf(label));
        return bucket == null || label == 0 ? NONE : bucket.groupOf(label);
    }

    /** Returns the group of an identity: a number, or {@link #NONE}. */
    public int groupOf(ByteBuffer identity) {
        return groups.isEmpty()
                ? NONE
                : ObjectIdCodec.decode(identity).map(this::groupOf).orElse(NONE);
    }

    private int groupOf(ObjectId id) {
        PrefixGroupMatcher bucket = bucket(id);
        return bucket == null ? NONE : bucket.groupOf(id.object().key().value());
    }

    private @Nullable PrefixGroupMatcher bucket(ObjectId id) {
        return byBucket.isEmpty()
                ? null
                : byBucket.get(new Scope(id.backend(), id.object().bucket().value()));
    }

    @Override
    public void count(int group, int bytes, int times) {
        for (int at = group; at != NONE; at = groups.get(at - 1).enclosing()) {
            counters.addAndGet(at * COUNTERS + BLOCKS, times);
            counters.addAndGet(at * COUNTERS + BYTES, (long) times * bytes);
        }
    }

    /** Returns whether a group is another, or within it. */
    public boolean isWithin(int group, int other) {
        int at = group;
        while (at != NONE && at != other) {
            at = groups.get(at - 1).enclosing();
        }
        return at == other;
    }

    /**
     * Returns whether a new block is within its quotas, or is read clearly more often than what it would replace.
     *
     * @param key of the block
     * @param identity of its record
     * @param residents the blocks to compare it with
     */
    public boolean admit(Fingerprint key, ByteBuffer identity, int bytes, IndexSampler residents) {
        if (!hasQuotas) {
            return true;
        }
        for (Limited limited : limited(groupOf(identity))) {
            boolean admitted = limited.quota()
                    .admits(key, bytes, residents, resident -> isWithin(resident.group(), limited.group()));
            if (!admitted) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a quota that a record counts for is nearly used up. */
    public boolean isNearlyUsedUp(ByteBuffer identity) {
        return hasQuotas
                && limited(groupOf(identity)).stream()
                        .anyMatch(limited -> limited.quota().isNearlyUsedUp());
    }

    /**
     * A group with a quota.
     *
     * @param group its number
     */
    public record Limited(int group, QuotaController quota) {}

    /** Returns all groups with a quota. */
    public List<Limited> limited() {
        List<Limited> limited = new ArrayList<>();
        for (int number = 1; hasQuotas && number <= groups.size(); number++) {
            @Nullable QuotaController quota = groups.get(number - 1).quota();
            if (quota != null) {
                limited.add(new Limited(number, quota));
            }
        }
        return limited;
    }

    /** Returns the quotas that a block of a group counts for. */
    public List<Limited> limited(int group) {
        if (!hasQuotas) {
            return List.of();
        }
        List<Limited> limited = new ArrayList<>();
        for (int at = group; at != NONE; at = groups.get(at - 1).enclosing()) {
            @Nullable QuotaController quota = groups.get(at - 1).quota();
            if (quota != null) {
                limited.add(new Limited(at, quota));
            }
        }
        return limited;
    }

    /** Returns what is cached of each group, in the order of the settings. */
    public List<GroupResidency> states() {
        return IntStream.range(0, groups.size()).mapToObj(this::state).toList();
    }

    /**
     * Returns what is cached of one group.
     *
     * @param at its index in {@link #states}
     */
    public GroupResidency state(int at) {
        Group group = groups.get(at);
        int number = at + 1;
        return new GroupResidency(
                group.counted().objects(),
                counters.get(number * COUNTERS + BLOCKS),
                bytes(number),
                group.quota() == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(group.quota().most()));
    }

    private long bytes(int number) {
        return counters.get(number * COUNTERS + BYTES);
    }
}
