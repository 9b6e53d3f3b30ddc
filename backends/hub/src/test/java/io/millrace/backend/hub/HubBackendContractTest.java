package io.millrace.backend.hub;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.testkit.contract.BackendContract;
import io.millrace.backend.testkit.data.DifficultKeys;
import io.millrace.backend.testkit.data.GeneratedBytes;
import io.millrace.backend.testkit.server.RepositoryBuckets;
import io.millrace.backend.testkit.server.ScriptedHub;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The backend's contract over a repository of a scripted Hub, whose branch gets a commit with each change. What git
 * cannot hold is left out.
 */
class HubBackendContractTest extends BackendContract {
    private static final String PREFIX = "org/name/main/";

    /** Empty components, and those of dots: git has none, and servers resolve the latter behind a backslash too. */
    private static final Pattern NO_PATH = Pattern.compile("(^|[/\\\\])\\.{0,2}([/\\\\]|$)");

    /** Keys that have others below them: a file is no folder. */
    private static final Set<String> FOLDERS =
            DifficultKeys.keys().stream().flatMap(key -> folders(key.value())).collect(Collectors.toSet());

    private final Map<String, byte[]> files = new TreeMap<>();
    private int commits;
    private ScriptedHub hub;
    private Backend backend;

    @BeforeEach
    void start() throws IOException {
        hub = new ScriptedHub();
        commit();
        backend = new RepositoryBuckets(
                HubFixture.backend(hub, Optional.empty(), Duration.ZERO), Map.of(bucket(), PREFIX));
    }

    @AfterEach
    void stop() {
        backend.close().block(HubFixture.SOON);
        hub.close();
    }

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return HubFixture.MODELS;
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        files.put(key.value(), bytes);
        commit();
    }

    /** One commit has all, so that a thousand names are no thousand trees. */
    @Override
    public void seedNames(Iterable<String> names) {
        names.forEach(name -> files.put(name, GeneratedBytes.of(name).first(1)));
        commit();
    }

    @Override
    public void remove(ObjectKey key) {
        files.remove(key.value());
        commit();
    }

    /** Returns whether the Hub redirects for the file; it sends a small one itself, and ignores the range. */
    boolean isLarge(byte[] bytes) {
        return bytes.length % 2 == 0;
    }

    private void commit() {
        commits++;
        String id = ScriptedHub.commit(commits);
        ScriptedHub.Repository repository = hub.repository("models/org/name").emptyCommit(id);
        files.forEach((path, bytes) -> {
            if (isLarge(bytes)) {
                repository.large(id, path, bytes);
            } else {
                repository.small(id, path, bytes);
            }
        });
        repository.branch("main", id);
    }

    @Override
    public boolean supportsKey(ObjectKey key) {
        return !NO_PATH.matcher(key.value()).find()
                && !FOLDERS.contains(key.value())
                && key.utf8().length + PREFIX.length() <= ObjectKey.MAX_BYTES;
    }

    /** Its files have no headers of their own. */
    @Override
    public boolean storesHeaders() {
        return false;
    }

    @Override
    @Test
    public void lastModifiedIsTheWriteTimeInSeconds() {
        Assumptions.abort("a file is as old as the commit, whose time the scripted Hub makes up");
    }

    private static Stream<String> folders(String key) {
        Stream.Builder<String> folders = Stream.builder();
        for (int at = key.indexOf('/'); at >= 0; at = key.indexOf('/', at + 1)) {
            folders.add(key.substring(0, at));
        }
        return folders.build();
    }
}
