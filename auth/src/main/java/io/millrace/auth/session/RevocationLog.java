package io.millrace.auth.session;

import io.millrace.auth.policy.Principal;
import io.millrace.kit.async.DaemonThreads;
import io.millrace.kit.async.ExecutedCall;
import io.millrace.kit.file.FileFailureText;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * The revocations of this gateway: makes, lifts and lists them, keeps them in the data folder, and exchanges them with
 * other gateways of a cluster. Thread-safe. Only {@link #open} and {@link #close} block.
 */
public final class RevocationLog implements AutoCloseable {
    /** Limit of revocations in force, which others may have made too, and of lifted ones that are remembered. */
    public static final int MOST = 10_000;

    /** Limit from which on owners end no sessions: the other places are for operators. */
    static final int MOST_WITH_OWNERS = MOST / 2;

    /**
     * The time after which a revocation of a session is of no use: as long as the longest session lasts, and an hour
     * for other members of a cluster whose clocks differ.
     */
    private static final Duration USEFUL_FOR = Duration.ofHours(13);

    private static final long CLOSE_SECONDS = 10;

    /** Names of identities, roles and sessions have no other characters. */
    private static final Pattern NAME = Pattern.compile("[!-~]{1,200}");

    private final RevocationFile file;

    /** Those of {@link #decisions} that revoke. */
    private final Revocations revocations = new Revocations();

    private final InstantSource clock;
    private final ExecutorService thread = DaemonThreads.single("revocations");

    /**
     * The decisions that hold, by their keys, also those that lift: another gateway may not know of them. Guarded by
     * this, as the digest.
     */
    private final NavigableMap<String, RevocationDecision> decisions = new TreeMap<>();

    private long digest;
    private volatile Function<List<RevocationDecision>, Mono<Void>> announcement = made -> Mono.empty();
    private volatile Runnable onMerge = () -> {};

    private RevocationLog(Path path, InstantSource clock) throws IOException {
        this.clock = clock;
        Instant now = clock.instant();
        this.file = RevocationFile.open(path, one -> !isUseless(one, now), this::apply);
    }

    /**
     * Reads the revocations of a data folder, and forgets those of sessions that have expired.
     *
     * @throws IOException if the file cannot be read or written, or is damaged
     */
    public static RevocationLog open(Path data, InstantSource clock) throws IOException {
        Path path = data.resolve("revocations").toAbsolutePath().normalize();
        try {
            return new RevocationLog(path, clock);
        } catch (IOException e) {
            throw new IOException("%s: %s".formatted(path, FileFailureText.of(e)), e);
        }
    }

    /**
     * Announces each decision that is made here from now on; what is waiting for it goes on when the result completes.
     *
     * @param by does not fail
     */
    public void announceBy(Function<List<RevocationDecision>, Mono<Void>> by) {
        announcement = by;
    }

    /** Calls a listener each time that decisions of another gateway are in force, perhaps before they are on disk. */
    public void onMerge(Runnable listener) {
        onMerge = listener;
    }

    /** Returns the revocations, which requests are compared with. */
    public Revocations inForce() {
        return revocations;
    }

    /** Returns the revocations in force, by target and name. */
    public List<Revocation> all() {
        return revocations.all().stream()
                .sorted(Comparator.comparing(Revocation::target).thenComparing(Revocation::name))
                .toList();
    }

    /**
     * Puts a revocation in force before it returns.
     *
     * @param name empty for ALL
     * @param before credentials issued until then are refused; empty for now
     * @return the revocation once it is on disk; an IOException if it holds until the next start only
     * @throws IllegalArgumentException if name or time are not possible; the message says why
     * @throws IllegalStateException if there are too many
     */
    public Mono<Revocation> revoke(RevocationTarget target, String name, Optional<Instant> before) {
        Instant now = clock.instant();
        if (before.isPresent() && target == RevocationTarget.IDENTITY) {
            throw new IllegalArgumentException("the keys of an identity have no time of issue: leave before out");
        }
        if (before.isPresent() && before.get().isAfter(now)) {
            throw new IllegalArgumentException("before is in the future");
        }
        Revocation revocation = new Revocation(target, canonical(target, name), before.orElse(now));
        if (!hasRoom(MOST) && !revocations.has(target, revocation.name())) {
            throw new IllegalStateException(
                    "there are %d revocations: lift some, or revoke all instead".formatted(MOST));
        }
        return put(revocation);
    }

    /**
     * Ends a session for its owner before it returns, as {@link #revoke} does for operators.
     *
     * @param accessKey that of the session
     * @throws IllegalStateException if there are too many
     */
    public Mono<Revocation> end(String accessKey) {
        if (!hasRoom(MOST_WITH_OWNERS)) {
            throw new IllegalStateException("too many sessions were ended in the last hours");
        }
        return put(new Revocation(RevocationTarget.SESSION, accessKey, clock.instant()));
    }

    private synchronized boolean hasRoom(int most) {
        if (revocations.size() >= most) {
            Instant now = clock.instant();
            List.copyOf(decisions.values()).stream()
                    .filter(one -> isUseless(one, now))
                    .forEach(one -> set(one.key(), Optional.empty()));
            putInForce();
        }
        return revocations.size() < most;
    }

    /**
     * Returns whether a decision is on sessions that have all expired; those of a person are not, because jobs outlast
     * them.
     */
    private static boolean isUseless(RevocationDecision one, Instant now) {
        return one.target() == RevocationTarget.SESSION
                && !one.before().orElse(one.at()).isAfter(now.minus(USEFUL_FOR))
                && Principal.roleOfPerson(one.name()).isEmpty();
    }

    /** Puts in force what the decisions revoke, all at once. */
    private void putInForce() {
        revocations.set(decisions.values().stream()
                .flatMap(one -> one.revocation().stream())
                .toList());
    }

    private Mono<Revocation> put(Revocation revocation) {
        RevocationDecision made =
                made(revocation.target(), revocation.name(), Optional.of(revocation.before()), clock.instant());
        apply(List.of(made));
        Mono<Revocation> kept = stored(() -> {
                    file.append(current(List.of(made)));
                    return revocation;
                })
                .cache();
        return Mono.whenDelayError(kept, announcement.apply(List.of(made))).then(kept);
    }

    /** Returns what holds by now, so that the file has the decisions on the same credentials in their order. */
    private synchronized List<RevocationDecision> current(Collection<RevocationDecision> changed) {
        return changed.stream()
                .flatMap(one -> known(one.target(), one.name()).stream())
                .toList();
    }

    private synchronized RevocationDecision made(
            RevocationTarget target, String name, Optional<Instant> before, Instant at) {
        return new RevocationDecision(target, name, before, at).after(known(target, name));
    }

    private Optional<RevocationDecision> known(RevocationTarget target, String name) {
        return Optional.ofNullable(decisions.get(RevocationDecision.key(target, name)));
    }

    /** Puts decisions in force, as far as they say more than those that are known; returns those that now hold. */
    private synchronized Collection<RevocationDecision> apply(List<RevocationDecision> made) {
        Map<String, RevocationDecision> changed = new LinkedHashMap<>();
        for (RevocationDecision one : made) {
            RevocationDecision known = decisions.get(one.key());
            RevocationDecision last = known == null ? one : known.and(one);
            if (!last.equals(known)) {
                set(last.key(), Optional.of(last));
                changed.put(last.key(), last);
            }
        }
        if (!changed.isEmpty()) {
            putInForce();
        }
        if (changed.values().stream().anyMatch(RevocationDecision::isLifted)) {
            forgetOldestLifted();
        }
        return changed.values();
    }

    private void forgetOldestLifted() {
        List<RevocationDecision> lifted =
                decisions.values().stream().filter(RevocationDecision::isLifted).toList();
        lifted.stream()
                .sorted(Comparator.comparing(RevocationDecision::at))
                .limit(Math.max(0, lifted.size() - MOST))
                .forEach(one -> set(one.key(), Optional.empty()));
    }

    private void set(String key, Optional<RevocationDecision> next) {
        Optional<RevocationDecision> last =
                Optional.ofNullable(next.isPresent() ? decisions.put(key, next.get()) : decisions.remove(key));
        digest ^= last.map(RevocationDecision::digest).orElse(0L)
                ^ next.map(RevocationDecision::digest).orElse(0L);
    }

    /**
     * Lifts a revocation, once that is on disk. Emits false if there was none. What an identity's keys have made until
     * now stays refused.
     *
     * @throws IllegalArgumentException if the name is not possible
     */
    public Mono<Boolean> lift(RevocationTarget target, String name) {
        String exact = canonical(target, name);
        return stored(() -> {
                    List<RevocationDecision> made = revocations.has(target, exact) ? lifted(target, exact) : List.of();
                    file.append(made);
                    apply(made);
                    return made;
                })
                .flatMap(made -> made.isEmpty()
                        ? Mono.just(false)
                        : announcement.apply(made).thenReturn(true));
    }

    private synchronized List<RevocationDecision> lifted(RevocationTarget target, String name) {
        Instant now = clock.instant();
        // Right after what it lifts: another gateway may revoke the same meanwhile, and its clock may be behind.
        RevocationDecision lifted = made(
                target,
                name,
                Optional.empty(),
                known(target, name).map(RevocationDecision::at).orElse(now));
        return target == RevocationTarget.IDENTITY
                ? List.of(made(RevocationTarget.SESSIONS_OF, name, Optional.of(now), now), lifted)
                : List.of(lifted);
    }

    /** Returns a number that differs, but for one case in 2⁶⁴, where other decisions hold. */
    public synchronized long digest() {
        return digest;
    }

    /**
     * Returns the decisions that hold, in the order of their keys.
     *
     * @param key that of the last one before the first that is returned; empty for all
     */
    public synchronized List<RevocationDecision> after(String key, int most) {
        return decisions.tailMap(key, false).values().stream().limit(most).toList();
    }

    /**
     * Puts decisions of another gateway in force before it returns, unless later ones are known.
     *
     * @return completes once they are on disk; an IOException if they hold until the next start only
     */
    public Mono<Void> merge(List<RevocationDecision> others) {
        Instant now = clock.instant();
        Collection<RevocationDecision> changed =
                apply(others.stream().filter(one -> !isUseless(one, now)).toList());
        if (changed.isEmpty()) {
            return Mono.empty();
        }
        onMerge.run();
        return stored(() -> {
                    file.append(current(changed));
                    return changed;
                })
                .then();
    }

    /** Waits for what is being written. */
    @Override
    public void close() throws IOException, InterruptedException {
        thread.shutdown();
        thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
        file.close();
    }

    /** Returns the name under which it is looked up: {@code ROLE/NAME} of sessions as their principals have it. */
    private static String canonical(RevocationTarget target, String name) {
        if (target == RevocationTarget.ALL) {
            if (!name.isEmpty()) {
                throw new IllegalArgumentException("all has no name");
            }
            return name;
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the name is missing, too long, or has impossible characters");
        }
        String[] parts = name.split("/", -1);
        return target == RevocationTarget.SESSION && parts.length == 2
                ? Principal.nameOfSession(parts[0], parts[1])
                : name;
    }

    private <T> Mono<T> stored(Callable<T> step) {
        return ExecutedCall.on(thread, step, closing -> new IOException("Millrace is stopping", closing));
    }
}
