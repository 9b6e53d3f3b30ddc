package io.millrace.backend.s3;

import io.millrace.backend.http.AcknowledgementCheck;
import io.millrace.backend.http.BufferedResponse;
import io.millrace.backend.spi.ListPage;
import io.millrace.backend.spi.ListPage.ListedChecksums;
import io.millrace.backend.spi.ListPage.ListedObject;
import io.millrace.backend.spi.ListPage.ObjectOwner;
import io.millrace.backend.spi.ListRequest.PageStart;
import io.millrace.backend.spi.object.ETag;
import io.millrace.backend.spi.object.ObjectKey;
import io.millrace.kit.XmlElement;
import io.millrace.kit.XmlException;
import io.millrace.kit.XmlParser;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Converts responses of ListObjects and ListObjectsV2 to {@link ListPage}s. With max-keys 0 the page is empty, although
 * servers send all.
 */
final class ListResponseParser {
    private static final ListPage NOTHING = new ListPage(List.of(), List.of(), Optional.empty());

    private ListResponseParser() {}

    /**
     * @param byMarker whether the next page begins at a marker, as in ListObjects, and not at a token
     */
    static ListPage read(BufferedResponse reply, boolean byMarker, int maxKeys) {
        if (maxKeys == 0) {
            AcknowledgementCheck.requireNoPage(reply);
            return NOTHING;
        }
        XmlElement page = XmlParser.parse(reply.bytes(), "ListBucketResult");
        ListingNameDecoder names = ListingNameDecoder.of(page);
        List<ListedObject> objects =
                page.all("Contents").map(entry -> object(entry, names)).toList();
        List<String> prefixes = names.prefixes(page);
        if (!page.isTrue("IsTruncated")) {
            return new ListPage(objects, prefixes, Optional.empty());
        }
        PageStart next = byMarker
                ? new PageStart.Marker(nextMarker(page, names, objects, prefixes))
                : new PageStart.ContinuationToken(page.requiredTextOf("NextContinuationToken"));
        return new ListPage(objects, prefixes, Optional.of(next));
    }

    /**
     * Returns the last name of the page if the response has no marker, as without a delimiter and at some servers with
     * one.
     */
    private static String nextMarker(
            XmlElement page, ListingNameDecoder names, List<ListedObject> objects, List<String> prefixes) {
        if (page.nonEmptyTextOf("NextMarker").isPresent()) {
            return names.required(page, "NextMarker");
        }
        return Stream.concat(objects.stream().map(entry -> entry.key().value()), prefixes.stream())
                .max(ObjectKey.UTF8_ORDER)
                .orElseThrow(() -> new XmlException("a truncated page with nothing on it"));
    }

    private static ListedObject object(XmlElement entry, ListingNameDecoder names) {
        return new ListedObject(
                names.key(entry),
                ListingNameDecoder.number(entry.requiredTextOf("Size")),
                entry.nonEmptyTextOf("ETag").map(ETag::parse),
                WriteResponseParser.time(entry.requiredTextOf("LastModified")),
                entry.nonEmptyTextOf("StorageClass").orElse("STANDARD"),
                checksums(entry),
                owner(entry));
    }

    static ListedChecksums checksums(XmlElement entry) {
        return new ListedChecksums(
                entry.all("ChecksumAlgorithm").map(XmlElement::text).toList(), entry.nonEmptyTextOf("ChecksumType"));
    }

    static Optional<ObjectOwner> owner(XmlElement entry) {
        return entry.first("Owner")
                .map(owner -> new ObjectOwner(
                        owner.nonEmptyTextOf("ID").orElse(""),
                        owner.nonEmptyTextOf("DisplayName").orElse("")));
    }
}
