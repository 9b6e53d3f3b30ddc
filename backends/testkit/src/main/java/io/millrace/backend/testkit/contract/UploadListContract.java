package io.millrace.backend.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.backend.spi.BackendException.FailureKind;
import io.millrace.backend.spi.Capability;
import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedPart;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.PartPage;
import io.millrace.backend.spi.MultipartUploads.StoredPart;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.object.BucketName;
import io.millrace.backend.spi.object.HeaderList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Uploads in progress and their parts are listed, so that a restarted client can continue them. */
interface UploadListContract extends UploadSupport {
    /** Returns whether uploads are listed in pages, by prefix and delimiter. */
    boolean paginatesUploads();

    @Test
    default void storedPartsAreListedByNumber() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload upload = createUpload("listed");
        for (int number : new int[] {3, 1, 10_000, 2}) {
            part(upload, number, new byte[number % 100]);
        }
        StoredPart replaced = part(upload, 2, new byte[50]);

        PartPage page = ContractSupport.await(backend().listParts(upload, 0, 1000));

        assertThat(page.parts()).extracting(ListedPart::number).containsExactly(1, 2, 3, 10_000);
        assertThat(page.parts()).extracting(ListedPart::size).containsExactly(1L, 50L, 3L, 0L);
        assertThat(page.parts().get(1).eTag()).isEqualTo(replaced.eTag());
        assertThat(page.next()).isEmpty();
        assertThat(page.storageClass()).isEqualTo("STANDARD");
        abort(upload);
    }

    @Test
    default void partsAreListedInPages() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload upload = createUpload("paged");
        for (int number = 1; number <= 5; number++) {
            part(upload, 2 * number, new byte[] {1});
        }

        List<Integer> numbers = new ArrayList<>();
        int pages = 0;
        for (Optional<Integer> after = Optional.of(0); after.isPresent(); pages++) {
            PartPage page = ContractSupport.await(backend().listParts(upload, after.get(), 2));
            page.parts().forEach(part -> numbers.add(part.number()));
            after = page.next();
        }

        assertThat(numbers).containsExactly(2, 4, 6, 8, 10);
        assertThat(pages).isEqualTo(3);
        assertThat(ContractSupport.await(backend().listParts(upload, 5, 1000)).parts())
                .extracting(ListedPart::number)
                .containsExactly(6, 8, 10);
        abort(upload);
    }

    @Test
    default void uploadsUnderWayAreListed() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        MultipartUpload b = createUpload("b");
        MultipartUpload a = createUpload("a/1");
        MultipartUpload done = createUpload("done");
        complete(done, List.of(UploadSupport.named(part(done, 1, new byte[] {1}))));

        UploadPage page = uploads("", "", new UploadMarker("", ""), 1000);

        assertThat(page.uploads()).extracting(listed -> listed.upload()).containsExactly(a, b);
        assertThat(page.next()).isEmpty();
        abort(a);
        abort(b);
        assertThat(uploads("", "", new UploadMarker("", ""), 1000).uploads()).isEmpty();
    }

    @Test
    default void uploadsAreListedInPagesByPrefixAndDelimiter() {
        assumeTrue(supports(Capability.MULTIPART) && paginatesUploads(), "lists no uploads in pages");
        List<MultipartUpload> begun = Stream.of("a", "b/1", "b/2", "b/c/3", "d", "d", "e")
                .map(this::createUpload)
                .toList();

        assertThat(keys(pages("", "", 2))).containsExactly("a", "b/1", "b/2", "b/c/3", "d", "d", "e");
        assertThat(keys(pages("b/", "", 1))).containsExactly("b/1", "b/2", "b/c/3");
        assertThat(keys(pages("", "/", 1))).containsExactly("a", "d", "d", "e");
        assertThat(prefixes(pages("", "/", 1))).containsExactly("b/");
        assertThat(prefixes(pages("b/", "/", 2))).containsExactly("b/c/");
        assertThat(uploads("", "", new UploadMarker("b/2", ""), 1000).uploads())
                .extracting(listed -> listed.upload().object().key().value())
                .containsExactly("b/c/3", "d", "d", "e");
        begun.forEach(this::abort);
    }

    @Test
    default void uploadsOfAMissingBucketAreNotListed() {
        assumeTrue(supports(Capability.MULTIPART), "takes no multipart uploads");
        BucketName nowhere = new BucketName("millrace-no-such-bucket");

        ContractSupport.assertFailure(
                backend().listUploads(new ListUploadsRequest(nowhere, "", "", "", "", 10)), FailureKind.NO_SUCH_BUCKET);
    }

    @Test
    default void beginningReportsTheChecksumThatWasRequested() {
        assumeTrue(supports(Capability.MULTIPART) && supports(Capability.CHECKSUMS), "keeps no checksums");
        HeaderList headers = HeaderList.EMPTY.with("x-amz-checksum-algorithm", "SHA256");

        MultipartUpload upload = createUpload("summed", headers);

        assertThat(ContractSupport.await(backend().listParts(upload, 0, 10))
                        .headers()
                        .first("x-amz-checksum-algorithm"))
                .contains("SHA256");
        abort(upload);
    }

    private List<UploadPage> pages(String prefix, String delimiter, int size) {
        List<UploadPage> pages = new ArrayList<>();
        Optional<UploadMarker> next = Optional.of(new UploadMarker("", ""));
        while (next.isPresent()) {
            assertThat(pages.size()).as("pages without an end").isLessThan(100);
            UploadPage page = uploads(prefix, delimiter, next.get(), size);
            assertThat(page.uploads().size() + page.prefixes().size()).isLessThanOrEqualTo(size);
            pages.add(page);
            next = page.next();
        }
        return pages;
    }

    private UploadPage uploads(String prefix, String delimiter, UploadMarker after, int size) {
        return ContractSupport.await(backend()
                .listUploads(new ListUploadsRequest(bucket(), prefix, delimiter, after.key(), after.uploadId(), size)));
    }

    private static List<String> keys(List<UploadPage> pages) {
        return pages.stream()
                .flatMap(page -> page.uploads().stream())
                .map(listed -> listed.upload().object().key().value())
                .toList();
    }

    private static List<String> prefixes(List<UploadPage> pages) {
        return pages.stream().flatMap(page -> page.prefixes().stream()).toList();
    }
}
