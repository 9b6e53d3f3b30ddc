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
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import reactor.core.publisher.Mono;

/**
 * The revocations of this gateway: makes, lifts and lists them, and keeps them in the data folder. Thread-safe. Only
 * {@link #open} and {@link #close} block.
 */
public final class RevocationLog implements AutoCloseable {
    /** Limit of revocations in force. */
    public static final int MOST = 10_000;

    /** Limit from which on owners end no sessions: the other places are for operators. */
    static final int MOST_WITH_OWNERS = MOST / 2;

    /** The longest life of a session, after which a revocation of it is of no use. */
    private static final Duration LONGEST_SESSION = Duration.ofHours(12);

    private static final long CLOSE_SECONDS = 10;

    /** Names of identities, roles and sessions have no other characters. */
    private static final Pattern NAME = Pattern.compile("[!-~]{1,200}");

    private final RevocationFile file;
    private final Revocations revocations;
    private final InstantSource clock;
    private final ExecutorService thread = DaemonThreads.single("revocations");

    private RevocationLog(RevocationFile file, Revocations revocations, InstantSource clock) {
        this.file = file;
        this.revocations = revocations;
        this.clock = clock;
    }

    /**
     * Reads the revocations of a data folder, and forgets those of sessions that have expired.
     *
     * @throws IOException if the file cannot be read or written, or is damaged
     */
    public static RevocationLog open(Path data, InstantSource clock) throws IOException {
        Path path = data.resolve("revocations").toAbsolutePath().normalize();
        try {
            Instant now = clock.instant();
            Revocations inForce = new Revocations();
            RevocationFile file = RevocationFile.open(path, one -> !isUseless(one, now), inForce::add);
            return new RevocationLog(file, inForce, clock);
        } catch (IOException e) {
            throw new IOException("%s: %s".formatted(path, FileFailureText.of(e)), e);
        }
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

    private boolean hasRoom(int most) {
        if (revocations.all().size() >= most) {
            Instant now = clock.instant();
            revocations.forget(one -> isUseless(one, now));
        }
        return revocations.all().size() < most;
    }

    /**
     * Returns whether a revocation is of sessions that have all expired; those of a person are not, because jobs
     * outlast them.
     */
    private static boolean isUseless(Revocation one, Instant now) {
        return one.target() == RevocationTarget.SESSION
                && !one.before().isAfter(now.minus(LONGEST_SESSION))
                && Principal.roleOfPerson(one.name()).isEmpty();
    }

    private Mono<Revocation> put(Revocation revocation) {
        revocations.add(revocation);
        return stored(() -> {
            try {
                file.revoke(revocation);
            } finally {
                // Again, in case an earlier one was lifted meanwhile: it holds, written or not.
                revocations.add(revocation);
            }
            return revocation;
        });
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
            if (!revocations.has(target, exact)) {
                return false;
            }
            Instant now = clock.instant();
            if (target == RevocationTarget.IDENTITY) {
                Revocation made = new Revocation(RevocationTarget.SESSIONS_OF, exact, now);
                file.revoke(made);
                revocations.add(made);
            }
            file.lift(new Revocation(target, exact, now));
            return revocations.remove(target, exact);
        });
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
