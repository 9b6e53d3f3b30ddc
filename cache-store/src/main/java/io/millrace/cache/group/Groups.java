package io.millrace.cache.group;

import io.millrace.cache.ObjectId;
import io.millrace.cache.ObjectPrefix;
import io.millrace.cache.eviction.EvictionPolicy;
import io.millrace.cache.eviction.Residents;
import io.millrace.cache.eviction.Share;
import io.millrace.cache.index.Entry;
import io.millrace.cache.index.Fingerprint;
import io.millrace.cache.index.FingerprintHash;
import io.millrace.cache.index.Kind;
import io.millrace.cache.index.Tally;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The groups that an operator has named, by number. Each record belongs to the one with the longest prefix that its key begins with, and
 * with it to those that enclose it. The index has the number of each entry and tells what comes and goes; the disk has a
 * {@linkplain Labels label}. There is nothing for an entry here. Safe for use by any number of threads.
 */
public final class Groups implements Tally {
    /** The number of what is in no group. */
    public static final int NONE = 0;

    /** The number of what may be in one: its label says nothing. Counted nowhere. */
    public static final int UNKNOWN = Entry.MAX_GROUP;

    /** How many there can be: each is a few lines of metrics. */
    public static final int MOST = 1000;

    private static final int HEADS = 0;
    private static final int BLOCKS = 1;
    private static final int BYTES = 2;
    private static final int COUNTERS = 3;

    private final List<Group> groups;
    private final Map<Scope, BucketGroups> byBucket = new HashMap<>();
    private final Map<Integer, BucketGroups> byLabel = new HashMap<>();
    private final Labels labels;
    private final Function<ByteBuffer, Optional<ObjectId>> identities;
    private final AtomicLongArray counters;
    private final boolean shared;
    private volatile LongSupplier room = () -> 0;
    private volatile boolean metUnknown;

    private record Scope(String backend, String bucket) {
        static Scope of(ObjectPrefix objects) {
            return new Scope(objects.backend(), objects.bucket().value());
        }
    }

    /** @param enclosing number of the group with the next shorter prefix, or {@link #NONE} */
    private record Group(
            CountedObjects counted, int enclosing, @Nullable Share share) {}

    /**
     * @param counted each prefix once, {@link #MOST} at most
     * @param identities whose record it is, by its head part
     */
    public Groups(
            List<CountedObjects> counted,
            FingerprintHash hash,
            EvictionPolicy policy,
            Function<ByteBuffer, Optional<ObjectId>> identities) {
        if (counted.size() > MOST) {
            throw new IllegalArgumentException("more than %d groups".formatted(MOST));
        }
        this.labels = new Labels(hash);
        this.identities = identities;
        this.counters = new AtomicLongArray(COUNTERS * (counted.size() + 1));
        this.groups = groups(counted, policy);
        this.shared = groups.stream().anyMatch(group -> group.share() != null);
        numbered(counted).forEach((scope, byPrefix) -> {
            BucketGroups bucket = new BucketGroups(labels.bucket(scope.backend(), scope.bucket()), byPrefix, labels);
            byBucket.put(scope, bucket);
            byLabel.put(bucket.label(), bucket);
        });
    }

    /** None, of a store that does not know whose its records are. */
    public static Groups none(FingerprintHash hash) {
        return new Groups(List.of(), hash, EvictionPolicy.frequency(1 << 10), headPart -> Optional.empty());
    }

    private static Map<Scope, NavigableMap<String, Integer>> numbered(List<CountedObjects> counted) {
        Map<Scope, NavigableMap<String, Integer>> numbered = new HashMap<>();
        for (int i = 0; i < counted.size(); i++) {
            ObjectPrefix objects = counted.get(i).objects();
            numbered.computeIfAbsent(Scope.of(objects), scope -> new TreeMap<>())
                    .put(objects.prefix(), i + 1);
        }
        return numbered;
    }

    private List<Group> groups(List<CountedObjects> counted, EvictionPolicy policy) {
        List<Group> made = new ArrayList<>();
        for (int i = 0; i < counted.size(); i++) {
            int number = i + 1;
            @Nullable Share share = counted.get(i)
                    .share()
                    .map(part -> new Share(() -> part.of(room.getAsLong()), () -> bytes(number), policy))
                    .orElse(null);
            made.add(new Group(counted.get(i), enclosing(counted, i), share));
        }
        return made;
    }

    private static int enclosing(List<CountedObjects> counted, int of) {
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

    /** What shares are parts of, in bytes. */
    public void partsOf(LongSupplier bytes) {
        room = bytes;
    }

    /** What the disk remembers with a record; 0 if it is nobody's. */
    public long label(ByteBuffer headPart) {
        return headPart.hasRemaining()
                ? identities.apply(headPart).map(this::label).orElse(0L)
                : 0;
    }

    private long label(ObjectId id) {
        BucketGroups bucket = bucket(id);
        // What was not named at all is as if nothing was named in it.
        return bucket == null
                ? Labels.of(labels.bucket(id.backend(), id.object().bucket().value()), labels.prefix("", List.of()))
                : bucket.labelOf(id.object().key().value());
    }

    /** The group of a record by its label: a number, {@link #NONE} or {@link #UNKNOWN}. */
    public int group(long label) {
        if (groups.isEmpty()) {
            return NONE;
        }
        if (label != 0) {
            BucketGroups bucket = byLabel.get(Labels.bucket(label));
            int number = bucket == null ? NONE : bucket.group(Labels.prefix(label));
            if (number != UNKNOWN) {
                return number;
            }
        }
        metUnknown = true;
        return UNKNOWN;
    }

    /** The group of a record by its head part. */
    public int groupOf(ByteBuffer headPart) {
        return groups.isEmpty()
                ? NONE
                : identities.apply(headPart).map(this::groupOf).orElse(NONE);
    }

    private int groupOf(ObjectId id) {
        BucketGroups bucket = bucket(id);
        return bucket == null ? NONE : bucket.groupOf(id.object().key().value());
    }

    private @Nullable BucketGroups bucket(ObjectId id) {
        return byBucket.isEmpty()
                ? null
                : byBucket.get(new Scope(id.backend(), id.object().bucket().value()));
    }

    /** Whether a label was met that said nothing. */
    public boolean hasMetUnknown() {
        return metUnknown;
    }

    @Override
    public void count(int group, Kind kind, int bytes, int times) {
        if (group == UNKNOWN || kind == Kind.TOMBSTONE) {
            return;
        }
        for (int at = group; at != NONE; at = groups.get(at - 1).enclosing()) {
            if (kind == Kind.BLOCK) {
                counters.addAndGet(at * COUNTERS + BLOCKS, times);
                counters.addAndGet(at * COUNTERS + BYTES, (long) times * bytes);
            } else {
                counters.addAndGet(at * COUNTERS + HEADS, times);
            }
        }
    }

    /** Whether a group is another, or lies within it. */
    public boolean isWithin(int group, int other) {
        int at = group == UNKNOWN ? NONE : group;
        while (at != NONE && at != other) {
            at = groups.get(at - 1).enclosing();
        }
        return at == other;
    }

    /**
     * Whether a new block is within the shares that it counts for, or is read clearly more often than what would go for it.
     *
     * @param key of the block
     * @param headPart of its record
     * @param residents to compare it with
     */
    public boolean admit(Fingerprint key, ByteBuffer headPart, int bytes, Residents residents) {
        if (!shared) {
            return true;
        }
        for (Limited limited : limited(groupOf(headPart))) {
            boolean admitted = limited.share()
                    .admits(key, bytes, residents, resident -> isWithin(resident.group(), limited.group()));
            if (!admitted) {
                return false;
            }
        }
        return true;
    }

    /** Whether a share is nearly used up that a record counts for. */
    public boolean isNearlyUsedUp(ByteBuffer headPart) {
        return shared
                && limited(groupOf(headPart)).stream()
                        .anyMatch(limited -> limited.share().isNearlyUsedUp());
    }

    /**
     * A group that has a share.
     *
     * @param group its number
     */
    public record Limited(int group, Share share) {}

    /** All that have one. */
    public List<Limited> limited() {
        List<Limited> limited = new ArrayList<>();
        for (int number = 1; shared && number <= groups.size(); number++) {
            @Nullable Share share = groups.get(number - 1).share();
            if (share != null) {
                limited.add(new Limited(number, share));
            }
        }
        return limited;
    }

    /** The shares that something of a group counts for. */
    public List<Limited> limited(int group) {
        if (!shared || group == UNKNOWN) {
            return List.of();
        }
        List<Limited> limited = new ArrayList<>();
        for (int at = group; at != NONE; at = groups.get(at - 1).enclosing()) {
            @Nullable Share share = groups.get(at - 1).share();
            if (share != null) {
                limited.add(new Limited(at, share));
            }
        }
        return limited;
    }

    /** What is cached of each, in the order in which they were named. */
    public List<GroupState> states() {
        return IntStream.range(0, groups.size()).mapToObj(this::state).toList();
    }

    /**
     * What is cached of one.
     *
     * @param at its place among {@link #states}
     */
    public GroupState state(int at) {
        Group group = groups.get(at);
        int number = at + 1;
        return new GroupState(
                group.counted().objects(),
                counters.get(number * COUNTERS + HEADS),
                counters.get(number * COUNTERS + BLOCKS),
                bytes(number),
                group.share() == null
                        ? OptionalLong.empty()
                        : OptionalLong.of(group.share().most()));
    }

    private long bytes(int number) {
        return counters.get(number * COUNTERS + BYTES);
    }
}
