package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.ListRequest;
import io.millrace.backend.spi.ObjectWriter.DeleteOutcome;
import io.millrace.backend.spi.ObjectWriter.Deletion;
import io.millrace.backend.spi.WriteCondition;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.backend.spi.object.ObjectRef;
import io.millrace.backend.testkit.data.ListedPages;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A delete takes effect at once, and removes nothing else. */
interface DeleteContract extends WriteSupport {
    @Test
    default void deletedKeyIsMissingAtOnce() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        put("gone", new byte[10]);

        delete(ref("gone"));

        assertMissing("gone");
        assertThat(ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", ListRequest.MAX_KEYS))
                        .keys())
                .isEmpty();
    }

    @Test
    default void deletingWhatIsNotThereSucceeds() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        put("there", new byte[] {1});

        delete(ref("nothing"));
        delete(ref("there/nothing"));
        delete(ref("not/there/at/all"));

        assertContent("there", new byte[] {1});
    }

    @Test
    default void deletedKeyTakesNoLongerOnesAlong() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        put("folder/a", new byte[] {1});
        put("folder/b/c", new byte[] {2});

        delete(ref("folder"));
        delete(ref("folder/"));
        delete(ref("folder/b"));

        assertContent("folder/a", new byte[] {1});
        assertContent("folder/b/c", new byte[] {2});
        delete(ref("folder/b/c"));
        assertContent("folder/a", new byte[] {1});
    }

    @Test
    default void deletedKeyCanBeWrittenAgain() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        for (byte round = 0; round < 3; round++) {
            put("again/and/again", new byte[] {round});
            assertContent("again/and/again", new byte[] {round});
            delete(ref("again/and/again"));
            assertMissing("again/and/again");
        }
    }

    @Test
    default void deleteInAMissingBucketFails() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        ObjectRef nowhere = new ObjectRef(new BucketName("millrace-no-such-bucket"), new ObjectKey("key"));

        ContractSupport.assertFailure(
                backend().delete(Deletion.of(nowhere), HeaderList.EMPTY), FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    default void withoutVersionsOnlyTheNullVersionIsDeleted() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        assumeFalse(supports(Capability.VERSIONS), "has versions");
        put("unversioned", new byte[] {1});

        ContractSupport.assertFailure(
                backend().delete(version("3sL4kqtJlcpXroDTDmJ.rmSpXd3dIbrHY"), HeaderList.EMPTY),
                FailureKind.UNSUPPORTED);
        assertContent("unversioned", new byte[] {1});

        ContractSupport.await(backend().delete(version("null"), HeaderList.EMPTY));
        assertMissing("unversioned");
    }

    @Test
    default void manyAreDeletedAtOnceEachByItself() {
        assumeTrue(supports(Capability.WRITE), "takes no writes");
        List<String> names = IntStream.range(0, 20).mapToObj(i -> "many/" + i).toList();
        names.forEach(name -> put(name, new byte[] {1}));
        put("kept", new byte[] {1});
        List<Deletion> deletions = IntStream.range(0, 1000)
                .mapToObj(i -> Deletion.of(ref("many/" + i)))
                .toList();

        List<DeleteOutcome> outcomes =
                ContractSupport.await(backend().deleteAll(bucket(), deletions, HeaderList.EMPTY));

        assertThat(outcomes).extracting(DeleteOutcome::deletion).containsExactlyElementsOf(deletions);
        assertThat(outcomes).allMatch(outcome -> outcome.failure().isEmpty());
        assertThat(ListedPages.readAll(backend(), ListedPages.request(bucket(), "", "", ListRequest.MAX_KEYS))
                        .keys())
                .containsExactly("kept");
    }

    private Deletion version(String id) {
        return new Deletion(ref("unversioned"), Optional.of(id), WriteCondition.ALWAYS);
    }
}
