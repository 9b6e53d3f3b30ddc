package io.millrace.gateway.cluster;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import reactor.core.publisher.Mono;

/**
 * The record of which members are on the list, have confirmed this one, and have said goodbye. Changes count at once;
 * the result of each completes when it is durable. Guarded by the lock of {@link PeerLeases}.
 */
final class ListRecord {
    private final Set<String> members;
    private final Set<String> confirmed;
    private final Map<String, Long> goodbyes;
    private final LatestValueWriter<KnownMembers> writer;

    ListRecord(DurableValue<KnownMembers> store) {
        KnownMembers before = store.read();
        this.members = new HashSet<>(before.members());
        this.confirmed = new HashSet<>(before.confirmed());
        this.goodbyes = new HashMap<>(before.goodbyes());
        this.writer = new LatestValueWriter<>(store);
    }

    /** Returns the members of the last list, and those that were taken off and not removed yet. */
    Set<String> members() {
        return Set.copyOf(members);
    }

    boolean areConfirmed(Collection<String> names) {
        return confirmed.containsAll(names);
    }

    Mono<Void> add(Collection<String> names) {
        members.addAll(names);
        return write();
    }

    /** Takes a member off, which stays in the record until it is removed; returns whether it has said goodbye. */
    boolean takeOff(String name) {
        confirmed.remove(name);
        return goodbyes.remove(name) != null;
    }

    Mono<Void> remove(Collection<String> names) {
        members.removeAll(names);
        return write();
    }

    /** Notes that a process of a member has this one on its list. */
    Mono<Void> confirm(String name, long process) {
        boolean isNew = confirmed.add(name);
        boolean isChanged = forgetGoodbye(name, process);
        return isNew || isChanged ? write() : writer.settle();
    }

    /** Notes that a process of a member is heard of, which voids the goodbye of an earlier one. */
    Mono<Void> hear(String name, long process) {
        return forgetGoodbye(name, process) ? write() : writer.settle();
    }

    private boolean forgetGoodbye(String name, long process) {
        Long stopped = goodbyes.get(name);
        return stopped != null && stopped != process && goodbyes.remove(name, stopped);
    }

    Mono<Void> keepGoodbye(String name, long process) {
        goodbyes.put(name, process);
        return write();
    }

    /** Notes that members do not have this one on their lists, or shall confirm it anew. */
    Mono<Void> forgetConfirmations(Collection<String> names) {
        return confirmed.removeAll(names) ? write() : writer.settle();
    }

    private Mono<Void> write() {
        return writer.write(new KnownMembers(Set.copyOf(members), Set.copyOf(confirmed), Map.copyOf(goodbyes)));
    }
}
