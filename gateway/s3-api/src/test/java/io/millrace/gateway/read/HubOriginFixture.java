package io.millrace.gateway.read;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.server.RepositoryBuckets;
import io.millrace.backend.testkit.server.ScriptedHub;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * A scripted Hub: each bucket is a repository, whose branch moves to a new commit with the objects that are put there.
 *
 * @param prefixes those of the buckets that were made
 */
public record HubOriginFixture(ScriptedHub hub, Map<BucketName, String> prefixes, Backend backend)
        implements OriginFixture {
    private static final Duration SOON = Duration.ofSeconds(20);

    /** Empty components, and those of dots: git has none, and servers resolve the latter behind a backslash too. */
    private static final Pattern NO_PATH = Pattern.compile("(^|[/\\\\])\\.{0,2}([/\\\\]|$)");

    /** As at the Hub itself. */
    private static final int ENTRIES_PER_PAGE = 1000;

    private static final String PREFIX = "org/%s/main/";
    private static final int LONGEST_PREFIX = PREFIX.formatted("b".repeat(63)).length();

    /** Starts it, without repositories. */
    public static HubOriginFixture start() throws IOException {
        ScriptedHub hub = new ScriptedHub(ENTRIES_PER_PAGE);
        Map<BucketName, String> prefixes = new ConcurrentHashMap<>();
        return new HubOriginFixture(
                hub, prefixes, new RepositoryBuckets(ScriptedHubBackend.of(hub, Optional.empty()), prefixes));
    }

    @Override
    public Set<Trait> traits() {
        return EnumSet.of(Trait.ANY_DELIMITER, Trait.RFC_CONDITIONS, Trait.NULL_VERSION);
    }

    @Override
    public boolean canHold(String key) {
        return !NO_PATH.matcher(key).find() && new ObjectKey(key).utf8().length + LONGEST_PREFIX <= ObjectKey.MAX_BYTES;
    }

    @Override
    public void createBucket(String bucket) {
        String first = ScriptedHub.commit(0);
        repository(bucket).emptyCommit(first).branch("main", first);
        prefixes.put(new BucketName(bucket), PREFIX.formatted(bucket));
    }

    /** Every other size is large: the Hub redirects for it. */
    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) {
        repository(bucket).push("main", key, bytes, bytes.length % 2 == 0);
    }

    private ScriptedHub.Repository repository(String bucket) {
        return hub.repository("models/org/" + bucket);
    }

    @Override
    public void close() {
        backend.close().block(SOON);
        hub.close();
    }
}
