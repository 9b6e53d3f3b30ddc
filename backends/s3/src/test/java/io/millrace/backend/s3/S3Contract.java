package io.millrace.backend.s3;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.BackendException;
import io.millrace.backend.spi.BucketName;
import io.millrace.backend.spi.HeaderList;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectKey;
import io.millrace.backend.testkit.BackendContract;
import io.millrace.backend.testkit.KeyTorture;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** The contract over one real server, with a bucket of its own for each case. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class S3Contract extends BackendContract {
    private Seeder seeder;
    private Backend backend;
    private String bucket;
    private Set<ObjectKey> held = Set.of();

    /** The server, running. */
    abstract S3Server server() throws Exception;

    @BeforeAll
    void connect() throws Exception {
        S3Server server = server();
        seeder = new Seeder(server);
        backend = backend(server);
    }

    @AfterAll
    void disconnect() {
        backend.close().block();
        seeder.close();
    }

    @BeforeEach
    void makeBucket() {
        bucket = seeder.createBucket();
    }

    @AfterEach
    void deleteBucket() {
        seeder.deleteBucket(bucket);
    }

    Backend backend(S3Server server) {
        return server.backend();
    }

    final Seeder seeder() {
        return seeder;
    }

    @Override
    public Backend backend() {
        return backend;
    }

    @Override
    public BucketName bucket() {
        return new BucketName(bucket);
    }

    @Override
    public void seed(ObjectKey key, byte[] bytes, HeaderList headers) {
        seeder.put(bucket, key.value(), bytes, headers);
    }

    /** What the server takes beside all other names and once more over itself, and lists under the same name. */
    @Override
    public boolean canHold(ObjectKey key) {
        return heldNames().contains(key);
    }

    /** Tried in a bucket of its own, which stays behind: there are names that a server takes and then cannot delete. */
    final Set<ObjectKey> heldNames() {
        if (held.isEmpty()) {
            String scratch = seeder.createBucket();
            List<ObjectKey> taken = KeyTorture.keys().stream()
                    .filter(key -> takes(scratch, key))
                    .toList();
            held = taken.stream().filter(key -> lists(scratch, key)).collect(Collectors.toSet());
            System.out.printf(
                    "%d names of %d are held%n", held.size(), KeyTorture.keys().size());
        }
        return held;
    }

    private boolean takes(String scratch, ObjectKey key) {
        try {
            seeder.put(scratch, key.value(), new byte[] {1}, HeaderList.EMPTY);
            seeder.put(scratch, key.value(), new byte[] {1, 2}, HeaderList.EMPTY);
            return true;
        } catch (CompletionException e) {
            return notHeld(key, String.valueOf(e.getCause()));
        }
    }

    private boolean lists(String scratch, ObjectKey key) {
        ListRequest only =
                new ListRequest(new BucketName(scratch), key.value(), "", new ListRequest.From.Beginning(), 1, false);
        try {
            return Objects.requireNonNull(backend.list(only).block()).objects().stream()
                            .anyMatch(entry -> entry.key().equals(key) && entry.size() == 2)
                    || notHeld(key, "listed under another name, or empty");
        } catch (BackendException e) {
            return notHeld(key, "as a prefix: " + e.getMessage());
        }
    }

    private static boolean notHeld(ObjectKey key, String why) {
        System.out.printf("not held: %.60s: %.120s%n", Asked.printable(key.value()), why);
        return false;
    }

    @Override
    public void remove(ObjectKey key) {
        seeder.delete(bucket, key.value());
    }

    @Override
    public void seedParts(ObjectKey key, List<byte[]> parts) {
        seeder.putParts(bucket, key.value(), parts);
    }

    @Override
    public void seedVersions(ObjectKey key, List<byte[]> contents) {
        seeder.keepVersions(bucket);
        contents.forEach(bytes -> seed(key, bytes, HeaderList.EMPTY));
    }
}
