package io.millrace.gateway.app.command;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** Compares this machine's clock with the {@code Date} headers of servers. */
final class ClockCheck {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The header has whole seconds, and clocks set by NTP differ. */
    private static final Duration TOLERATED = Duration.ofSeconds(5);

    /** S3 servers refuse signatures that are 15 minutes off; some of that is the other clock's. */
    private static final Duration REFUSED = Duration.ofMinutes(10);

    private static final String REMEDY =
            "synchronize the clock (chrony, systemd-timesyncd): signatures and freshness depend on it";

    private ClockCheck() {}

    /** Sends one unsigned HEAD request; empty if the server gives no time. Blocks for some seconds at most. */
    static Optional<Diagnosis> run(String backend, URI endpoint) {
        Instant sent = Instant.now();
        return serverTime(endpoint).map(time -> diagnosis(backend, distance(time, sent, Instant.now())));
    }

    /**
     * Returns how far a server's time is from the time of its response: between its request and its receipt, however
     * long that took.
     */
    static Duration distance(Instant time, Instant sent, Instant received) {
        if (time.isBefore(sent)) {
            return Duration.between(time, sent);
        }
        return time.isAfter(received) ? Duration.between(received, time) : Duration.ZERO;
    }

    static Diagnosis diagnosis(String backend, Duration off) {
        String finding = "%d s off that of backend %s".formatted(off.toSeconds(), backend);
        if (off.compareTo(REFUSED) > 0) {
            return Diagnosis.problem("clock", finding, REMEDY);
        }
        return off.compareTo(TOLERATED) > 0
                ? Diagnosis.warning("clock", finding, REMEDY)
                : Diagnosis.ok("clock", "as that of backend " + backend);
    }

    private static Optional<Instant> serverTime(URI endpoint) {
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(TIMEOUT)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        HttpRequest request = HttpRequest.newBuilder(endpoint)
                .method("HEAD", HttpRequest.BodyPublishers.noBody())
                .timeout(TIMEOUT)
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.discarding())
                    .headers()
                    .firstValue("date")
                    .map(date -> ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant());
        } catch (IOException | DateTimeParseException e) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
