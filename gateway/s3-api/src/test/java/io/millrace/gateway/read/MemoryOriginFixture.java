package io.millrace.gateway.read;

import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.memory.InMemoryBackend;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A backend in memory, which follows the contract to the letter. */
record MemoryOriginFixture(InMemoryBackend backend) implements OriginFixture {
    static MemoryOriginFixture create() {
        return new MemoryOriginFixture(new InMemoryBackend(
                EnumSet.of(Capability.WRITE, Capability.MULTIPART, Capability.VERSIONS, Capability.PARTS)));
    }

    @Override
    public Set<Trait> traits() {
        return EnumSet.of(Trait.PARTS, Trait.ANY_NAME, Trait.ANY_DELIMITER, Trait.RFC_CONDITIONS);
    }

    @Override
    public boolean canHold(String key) {
        return true;
    }

    @Override
    public void createBucket(String bucket) {
        backend.createBucket(new BucketName(bucket));
    }

    @Override
    public void put(String bucket, String key, byte[] bytes, HeaderList headers) {
        backend.store(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), bytes, headers);
    }

    @Override
    public void putParts(String bucket, String key, List<byte[]> parts) {
        backend.storeParts(new ObjectRef(new BucketName(bucket), new ObjectKey(key)), parts);
    }

    @Override
    public void close() {}
}
