package io.millrace.gateway.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.backend.spi.Backend;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.ObjectWriter.NewObject;
import io.millrace.backend.spi.ReadRequest;
import io.millrace.backend.spi.object.KeyPathNormalizer;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.Promise;
import io.millrace.backend.testkit.data.GeneratedBytes;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A backend that takes keys for paths, and so several keys for one object: what was written to one is seen at all of
 * them.
 */
class FoldedKeysTest extends ImmutableBucketTest {
    private static final String PLAIN = "/bucket/a/b";
    private static final byte[] OLD = GeneratedBytes.of("old").first(1000);
    private static final byte[] NEW = GeneratedBytes.of("new").first(1001);

    @Promise("W10")
    @ParameterizedTest
    @ValueSource(strings = {"/bucket//a/b", "/bucket/a//b", "/bucket/./a/b", "/bucket/x/../a/b", "/bucket/x/..//a//b"})
    void writesAndDeletesApplyUnderEachName(String other) throws IOException {
        List<String> names = List.of(PLAIN, other);
        for (String written : names) {
            assertThat(send(SignedWriteRequest.put(PLAIN, OLD)).status()).isEqualTo(200);
            assertHold(names, OLD);
            assertThat(send(SignedWriteRequest.put(written, NEW)).status()).isEqualTo(200);
            assertHold(names, NEW);

            assertThat(send(SignedWriteRequest.of("DELETE", written)).status()).isEqualTo(204);
            for (String name : names) {
                assertThat(send(SignedWriteRequest.get(name)).status()).as(name).isEqualTo(404);
            }
        }
    }

    @Promise("W10")
    @Test
    void keepsCachedBytesOfAnotherName() throws IOException {
        assertThat(send(SignedWriteRequest.put("/bucket//a/b", OLD)).status()).isEqualTo(200);
        assertHold(List.of("/bucket//a/b"), OLD);

        assertThat(send(SignedWriteRequest.get("/bucket//a/b")).headers().get("cache-status"))
                .startsWith("millrace; fwd=stale");
    }

    /** Twice: what the first reading brought is known to the second. */
    private void assertHold(List<String> names, byte[] content) throws IOException {
        for (int i = 0; i < 2; i++) {
            for (String name : names) {
                assertThat(send(SignedWriteRequest.get(name)).bytes()).as(name).isEqualTo(content);
            }
        }
    }

    @Override
    Backend over(Backend inner) {
        EnumSet<Capability> all = EnumSet.of(Capability.PATH_ALIASES);
        all.addAll(inner.capabilities());
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, args) -> {
                    if (method.getName().equals("capabilities")) {
                        return all;
                    }
                    try {
                        return method.invoke(
                                inner,
                                args == null
                                        ? null
                                        : Arrays.stream(args)
                                                .map(FoldedKeysTest::folded)
                                                .toArray());
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }

    private static Object folded(Object said) {
        if (said instanceof ReadRequest read) {
            return new ReadRequest(
                    folded(read.object()),
                    read.selection(),
                    read.conditions(),
                    read.requiredVersion(),
                    read.versionId(),
                    read.checksums(),
                    read.headers());
        }
        if (said instanceof NewObject object) {
            return new NewObject(folded(object.object()), object.headers(), object.condition());
        }
        return said instanceof Deletion deletion
                ? new Deletion(folded(deletion.object()), deletion.versionId(), deletion.condition())
                : said;
    }

    private static ObjectRef folded(ObjectRef object) {
        return KeyPathNormalizer.alias(object.key())
                .map(key -> new ObjectRef(object.bucket(), key))
                .orElse(object);
    }
}
