package io.millrace.auth.session;

import io.millrace.auth.SecretDerivation;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Keys of session tokens that are derived from a secret, one a day, so that all gateways with the secret accept each
 * other's tokens. The key of yesterday decrypts too, since no session lasts as long as a day, and so does that of
 * tomorrow, for clocks that are ahead. Thread-safe; does no I/O.
 */
public final class DerivedSessionKeys implements SessionKeySource {
    /** The time for which a key encrypts. */
    static final Duration PERIOD = Duration.ofDays(1);

    private final String secret;
    private final String purpose;
    private final InstantSource clock;
    private volatile Ring ring;

    /** The keys of a period and its neighbours. */
    private record Ring(long period, List<SessionKey> keys) {}

    /** @param owner of the secret: others with the same secret have other keys */
    public DerivedSessionKeys(String secret, String owner, InstantSource clock) {
        this.secret = secret;
        this.purpose = "millrace session tokens 1 " + owner + " ";
        this.clock = clock;
        this.ring = ring(period());
    }

    @Override
    public List<SessionKey> get() {
        long now = period();
        Ring known = ring;
        if (known.period() != now) {
            known = ring(now);
            ring = known;
        }
        return known.keys();
    }

    private long period() {
        return Math.floorDiv(clock.instant().getEpochSecond(), PERIOD.toSeconds());
    }

    private Ring ring(long period) {
        return new Ring(period, List.of(key(period), key(period - 1), key(period + 1)));
    }

    private SessionKey key(long period) {
        return new SessionKey(SecretDerivation.of(secret, purpose + period));
    }

    /** Has no effect: a time of its own would give a gateway other keys than the others have. */
    @Override
    public void rotateEvery(Optional<Duration> time) {}
}
