package io.millrace.backend.testkit.memory;

import io.millrace.backend.spi.MultipartUploads.ListUploadsRequest;
import io.millrace.backend.spi.MultipartUploads.ListedUpload;
import io.millrace.backend.spi.MultipartUploads.MultipartUpload;
import io.millrace.backend.spi.MultipartUploads.UploadMarker;
import io.millrace.backend.spi.MultipartUploads.UploadPage;
import io.millrace.backend.spi.object.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds one page of a bucket's uploads by iterating over all of them in order. */
final class MemoryUploadListing {
    private MemoryUploadListing() {}

    static UploadPage page(List<MemoryUpload> sorted, ListUploadsRequest query) {
        List<ListedUpload> uploads = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        Optional<UploadMarker> last = Optional.empty();
        for (MemoryUpload upload : sorted) {
            String key = upload.object().object().key().value();
            Optional<String> rolledUp = commonPrefix(key, query);
            if (!key.startsWith(query.prefix())
                    || !isAfterMarker(rolledUp.orElse(key), upload.id(), query)
                    || rolledUp.map(prefixes::contains).orElse(false)) {
                continue;
            }
            if (uploads.size() + prefixes.size() == query.maxUploads()) {
                return new UploadPage(uploads, prefixes, last);
            }
            rolledUp.ifPresentOrElse(prefixes::add, () -> uploads.add(listed(upload)));
            last = Optional.of(new UploadMarker(rolledUp.orElse(key), rolledUp.isPresent() ? "" : upload.id()));
        }
        return new UploadPage(uploads, prefixes, Optional.empty());
    }

    private static Optional<String> commonPrefix(String key, ListUploadsRequest query) {
        int at = query.delimiter().isEmpty() || !key.startsWith(query.prefix())
                ? -1
                : key.indexOf(query.delimiter(), query.prefix().length());
        return at < 0
                ? Optional.empty()
                : Optional.of(key.substring(0, at + query.delimiter().length()));
    }

    private static boolean isAfterMarker(String text, String id, ListUploadsRequest query) {
        int order = ObjectKey.UTF8_ORDER.compare(text, query.keyMarker());
        return order > 0
                || (order == 0 && !query.uploadIdMarker().isEmpty() && id.compareTo(query.uploadIdMarker()) > 0);
    }

    private static ListedUpload listed(MemoryUpload upload) {
        return new ListedUpload(
                new MultipartUpload(upload.object().object(), upload.id()),
                upload.initiated(),
                "STANDARD",
                upload.checksumFields());
    }
}
