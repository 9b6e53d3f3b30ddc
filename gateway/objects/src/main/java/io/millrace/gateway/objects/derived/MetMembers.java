package io.millrace.gateway.objects.derived;

import io.millrace.gateway.archive.ArchiveMember;
import io.millrace.gateway.archive.HiddenReason;
import io.millrace.gateway.archive.MemberConsumer;
import io.millrace.gateway.archive.MemberIndex;
import io.millrace.gateway.archive.MemberIndexBuilder;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.scheduler.Schedulers;

/**
 * The members that the running scan of a version of an archive has met so far, and the readers who wait for one of
 * them. Of several with one name the first counts, so that what was met stays right. It lives as long as the scan or a
 * reader uses it. Thread-safe.
 */
final class MetMembers {
    /** The waiting readers by the name that they want. Each is a client's request, so that connections bound them. */
    private final Map<String, Set<MonoSink<MemberIndex>>> waiting = new HashMap<>();

    /** The members that the scan has met; null before it. */
    private @Nullable MemberIndexBuilder met;

    private int users;

    private volatile boolean fetched;

    /** Counts one more user of this. The caller of this and of {@link #left} calls them one after another. */
    MetMembers joined() {
        users++;
        return this;
    }

    /** Counts one user less; returns null if there are none any more. */
    @Nullable MetMembers left() {
        users--;
        return users == 0 ? null : this;
    }

    /** Notes that the scan waits for bytes from the backend, and who uses this with it. */
    void fetching() {
        fetched = true;
    }

    boolean hasFetched() {
        return fetched;
    }

    /** Begins a scan: returns what adds its members to a builder, and gives them to those who wait. */
    synchronized MemberConsumer into(MemberIndexBuilder members) {
        met = members;
        return new Collector(members);
    }

    /** The receiver of what the scan finds. */
    private final class Collector implements MemberConsumer {
        private final MemberIndexBuilder members;

        Collector(MemberIndexBuilder members) {
            this.members = members;
        }

        @Override
        public void member(ArchiveMember member) {
            Set<MonoSink<MemberIndex>> answered;
            MemberIndex alone;
            synchronized (MetMembers.this) {
                members.member(member);
                Optional<MemberIndex> first =
                        waiting.containsKey(member.name()) ? members.only(member.name()) : Optional.empty();
                // If its name shares a hash with too many, its readers get it when the scan has ended.
                if (first.isEmpty()) {
                    return;
                }
                alone = first.get();
                answered = Objects.requireNonNull(waiting.remove(member.name()));
            }
            // Not in the call stack of the scan, whose next bytes would wait for what the readers do.
            Schedulers.parallel().schedule(() -> answered.forEach(reader -> reader.success(alone)));
        }

        @Override
        public void hidden(HiddenReason reason) {
            synchronized (MetMembers.this) {
                members.hidden(reason);
            }
        }
    }

    /**
     * Returns an index of a member alone when it was met; never ends if it is not.
     *
     * @param worker looks for it among those that were met, which takes up to a second: of millions, none of which was
     *     looked for before, and waits for the scan, which may do the same
     */
    Mono<MemberIndex> await(String name, Executor worker) {
        return Mono.create(reader -> worker.execute(() -> metOrWait(name, reader)
                .ifPresent(alone -> Schedulers.parallel().schedule(() -> reader.success(alone)))));
    }

    private synchronized Optional<MemberIndex> metOrWait(String name, MonoSink<MemberIndex> reader) {
        Optional<MemberIndex> alone = met == null ? Optional.empty() : met.only(name);
        if (alone.isEmpty()) {
            waiting.computeIfAbsent(name, first -> new LinkedHashSet<>()).add(reader);
            reader.onDispose(() -> leave(name, reader));
        }
        return alone;
    }

    private synchronized void leave(String name, MonoSink<MemberIndex> reader) {
        @Nullable Set<MonoSink<MemberIndex>> readers = waiting.get(name);
        if (readers != null && readers.remove(reader) && readers.isEmpty()) {
            waiting.remove(name);
        }
    }
}
