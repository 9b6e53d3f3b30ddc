package io.millrace.gateway.s3.bucket;

import io.millrace.backend.spi.ListPage;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.s3.protocol.XmlTimestamp;
import io.millrace.kit.XmlWriter;
import java.util.List;

/** Writes the XML elements that the lists of a bucket's keys and versions have in common. */
final class ListingXml {
    private ListingXml() {}

    static void entries(XmlWriter xml, ListPage page, BucketView bucket, ListingParameters parameters) {
        for (ListPage.ListedObject entry : page.objects()) {
            entry(xml, entry, parameters.encode(bucket.toClient(entry.key().value())));
        }
        prefixes(xml, page.prefixes(), bucket, parameters);
    }

    /** Writes what the request asked for, and whether this is all. */
    static void limits(XmlWriter xml, ListingParameters parameters, boolean isTruncated) {
        xml.element("MaxKeys", Integer.toString(parameters.maxKeys()));
        if (!parameters.delimiter().isEmpty()) {
            xml.element("Delimiter", parameters.encode(parameters.delimiter()));
        }
        xml.element("EncodingType", parameters.encodingType().name())
                .element("IsTruncated", Boolean.toString(isTruncated));
    }

    static void prefixes(XmlWriter xml, List<String> prefixes, BucketView bucket, ListingParameters parameters) {
        for (String prefix : prefixes) {
            xml.open("CommonPrefixes")
                    .element("Prefix", parameters.encode(bucket.toClient(prefix)))
                    .close();
        }
    }

    static void checksums(XmlWriter xml, ListPage.ListedChecksums checksums) {
        checksums.algorithms().forEach(algorithm -> xml.element("ChecksumAlgorithm", algorithm));
        xml.element("ChecksumType", checksums.type());
    }

    private static void entry(XmlWriter xml, ListPage.ListedObject entry, String key) {
        xml.open("Contents")
                .element("Key", key)
                .element("LastModified", XmlTimestamp.format(entry.lastModified()))
                .element("ETag", entry.eTag().map(Object::toString));
        checksums(xml, entry.checksums());
        xml.element("Size", Long.toString(entry.size())).element("StorageClass", entry.storageClass());
        entry.owner()
                .ifPresent(owner -> xml.open("Owner")
                        .element("ID", owner.id())
                        .element("DisplayName", owner.displayName())
                        .close());
        xml.close();
    }
}
