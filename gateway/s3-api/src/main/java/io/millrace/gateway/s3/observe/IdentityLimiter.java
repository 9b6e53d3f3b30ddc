package io.millrace.gateway.s3.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.millrace.auth.IdentityLimitSettings;
import io.millrace.auth.IdentitySettings;
import io.millrace.auth.policy.Principal;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.config.DataSize;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.monitor.LogPause;
import io.millrace.gateway.objects.monitor.MeterName;
import io.millrace.gateway.s3.gate.BatchTally;
import io.millrace.gateway.s3.protocol.S3Operation;
import io.millrace.kit.async.RateLimiter;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A recorder that refuses requests of identities, and of the sessions that they have assumed, that are beyond a limit
 * of theirs. To the rates a request counts when it ends, so those in flight are not stopped, and as many more may pass.
 * Refused requests count nothing: a client that tries again gets through when its limit allows. Thread-safe.
 */
public final class IdentityLimiter implements RequestRecorder {
    private static final Logger log = LoggerFactory.getLogger(IdentityLimiter.class);

    /** The longest time for which one request can make others be refused: clients give up trying after about that. */
    private static final long MAX_DEBT_SECONDS = 30;

    /** The items of a batch that count as one more request: they share its signature and its head. */
    static final int ITEMS_OF_A_REQUEST = 16;

    /** The least that is not zero: a request that ends makes room for the next one. */
    private static final Duration AT_ONCE = Duration.ofNanos(1);

    private final Map<String, Limits> limits = new HashMap<>();
    private final Counter refused;
    private final LogPause logPause = new LogPause();

    /** @param inFlight counts the requests at this moment; null if their number has no limit */
    private record Limits(
            RateLimiter requests,
            RateLimiter bytes,
            long mostRequests,
            long mostBytes,
            int mostInFlight,
            @Nullable AtomicInteger inFlight) {
        static Limits of(IdentityLimitSettings settings) {
            OptionalLong requests = settings.requestsPerSecond().stream()
                    .mapToLong(Integer::longValue)
                    .findFirst();
            OptionalLong bytes =
                    settings.bandwidth().stream().mapToLong(DataSize::bytes).findFirst();
            long mostRequests = requests.isPresent() ? requests.getAsLong() * MAX_DEBT_SECONDS : 0;
            long most = bytes.isPresent() ? Math.min(bytes.getAsLong(), Long.MAX_VALUE / MAX_DEBT_SECONDS) : 0;
            Optional<Integer> concurrent = settings.concurrentRequests();
            return new Limits(
                    RateLimiter.of(requests),
                    RateLimiter.of(bytes),
                    mostRequests,
                    most * MAX_DEBT_SECONDS,
                    concurrent.orElse(0),
                    concurrent.isPresent() ? new AtomicInteger() : null);
        }

        /** Returns the time after which a request may be served; zero for now. */
        Duration debt() {
            if (inFlight != null && inFlight.get() >= mostInFlight) {
                return AT_ONCE;
            }
            Duration ofRequests = requests.debt();
            Duration ofBytes = bytes.debt();
            return ofRequests.compareTo(ofBytes) > 0 ? ofRequests : ofBytes;
        }

        void admitted() {
            if (inFlight != null) {
                inFlight.incrementAndGet();
            }
        }

        void ended(RequestRecord request) {
            if (inFlight != null) {
                inFlight.decrementAndGet();
            }
            if (requests.isLimited()) {
                int items = request.batch().map(BatchTally::items).orElse(0);
                requests.charge(Math.min(1 + items / ITEMS_OF_A_REQUEST, Math.max(1, mostRequests)));
            }
            if (bytes.isLimited()) {
                bytes.charge(Math.min(Math.max(0, request.bytesIn()) + request.bytesOut(), mostBytes));
            }
        }
    }

    public IdentityLimiter(Collection<IdentitySettings> identities, MeterRegistry registry) {
        identities.stream()
                .filter(identity -> !identity.limits().equals(IdentityLimitSettings.NONE))
                .forEach(identity -> limits.put(identity.name(), Limits.of(identity.limits())));
        refused = Counter.builder(MeterName.THROTTLED.wireName())
                .description(MeterName.THROTTLED.description())
                .register(registry);
    }

    @Override
    public void started() {}

    @Override
    public void admitted(Principal principal) {
        Limits own = of(principal.accountableName());
        if (own != null) {
            own.admitted();
        }
    }

    @Override
    public void ended(RequestRecord request) {
        Limits own = request.admitted() ? of(request.accountable()) : null;
        if (own != null) {
            own.ended(request);
        }
    }

    @Override
    public Optional<S3Exception> refusal(Principal principal, S3Operation operation, boolean isRead) {
        Limits own = of(principal.accountableName());
        Duration debt = own == null ? Duration.ZERO : own.debt();
        if (debt.isZero()) {
            return Optional.empty();
        }
        refused.increment();
        log(principal.accountableName());
        String seconds = Long.toString(debt.toSeconds() + 1);
        return Optional.of(
                new S3Exception(S3ErrorCode.SLOW_DOWN).withHeaders(HeaderList.EMPTY.with("retry-after", seconds)));
    }

    private @Nullable Limits of(String identity) {
        return limits.isEmpty() ? null : limits.get(identity);
    }

    /** Logs once a minute. */
    private void log(String identity) {
        if (logPause.begin()) {
            log.warn(
                    "Requests of identity '{}' are refused with SlowDown: they are beyond its limits. Raise them if"
                            + " this is its usual work; millrace_s3_throttled_total counts what is refused",
                    identity);
        }
    }
}
