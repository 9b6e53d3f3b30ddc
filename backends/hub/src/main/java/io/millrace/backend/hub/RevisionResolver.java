package io.millrace.backend.hub;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.kit.async.SingleFlight;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Finds the commit that a revision stands for, and remembers it: that of a branch for a time, that of a commit as long
 * as there is space. One request runs at a time for each revision. What a client's own token finds is for that token
 * alone. Thread-safe.
 */
final class RevisionResolver {
    private static final int MAX_REMEMBERED = 10_000;

    /** The document tells the files of the repository too, some 30 bytes each. */
    private static final int MAX_BYTES = 32 << 20;

    private final HubClient client;
    private final Cache<RevisionKey, Revision> commits =
            Caffeine.newBuilder().maximumSize(MAX_REMEMBERED).build();
    private final Cache<RevisionKey, Revision> branches;
    private final SingleFlight<RevisionKey, Revision> requests = new SingleFlight<>();
    private final DocumentMemoryBudget memory;

    /**
     * A branch or tag and who asks for its commit; callers who ask for the same share one response.
     *
     * @param path of the API
     * @param identity of the credentials
     */
    private record RevisionKey(String path, String identity) {}

    /**
     * @param memory the bound that the documents share with others
     */
    RevisionResolver(HubClient client, Duration branchTtl, DocumentMemoryBudget memory) {
        this.client = client;
        this.memory = memory;
        this.branches = Caffeine.newBuilder()
                .maximumSize(MAX_REMEMBERED)
                .expireAfterWrite(branchTtl)
                .build();
    }

    /** Returns the commit; fails with NO_SUCH_KEY if there is no such revision. */
    Mono<Revision> resolve(RepositoryPath path, Credentials credentials) {
        return Mono.defer(() -> {
            RevisionKey wanted = new RevisionKey(path.revisionPath(), credentials.identity());
            Cache<RevisionKey, Revision> remembered = path.isCommit() ? commits : branches;
            return requests.joinUnlessKnown(
                    wanted,
                    () -> remembered.getIfPresent(wanted),
                    () -> ask(path, credentials).doOnNext(found -> remembered.put(wanted, found)));
        });
    }

    private Mono<Revision> ask(RepositoryPath path, Credentials credentials) {
        return Mono.using(
                memory::begin,
                reserved -> client.fetch(
                                client.api(path.revisionPath()),
                                credentials,
                                MAX_BYTES,
                                "the description of the revision",
                                reserved)
                        // A description of megabytes is no work for an event loop.
                        .publishOn(Schedulers.parallel())
                        .map(document -> parse(path, document)),
                DocumentMemoryBudget.Reservation::release);
    }

    private static Revision parse(RepositoryPath path, BufferedResponse document) {
        Map<String, String> fields = HubJsonReader.ofObject(document.bytes());
        String commit = fields.getOrDefault("sha", "");
        if (!commit.matches("[0-9a-f]{40}") || (path.isCommit() && !commit.equals(path.revision()))) {
            throw new BackendException(
                    FailureKind.INVALID_RESPONSE, "the description of the revision does not name its commit");
        }
        return new Revision(commit, time(fields.getOrDefault("lastModified", "")));
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.SECONDS);
        } catch (DateTimeParseException e) {
            return Instant.EPOCH;
        }
    }
}
