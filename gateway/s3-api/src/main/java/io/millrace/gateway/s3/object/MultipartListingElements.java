package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.ListPage.ObjectOwner;
import io.millrace.backend.spi.UploadChecksumSpec;
import io.millrace.backend.spi.object.HeaderList;
import io.millrace.kit.XmlWriter;
import java.util.Set;

/** Writes the XML elements that listings of uploads and of parts have in common. */
final class MultipartListingElements {
    /** The owner of all uploads. The backend knows only the gateway as its caller, but clients require an owner. */
    static final ObjectOwner OWNER = new ObjectOwner("millrace", "millrace");

    private MultipartListingElements() {}

    static void owner(XmlWriter xml, String element, ObjectOwner owner) {
        xml.open(element)
                .element("ID", owner.id())
                .element("DisplayName", owner.displayName())
                .close();
    }

    static void checksumSettings(XmlWriter xml, HeaderList fields) {
        xml.element("ChecksumAlgorithm", fields.first(UploadChecksumSpec.ALGORITHM_HEADER))
                .element("ChecksumType", fields.first(UploadChecksumSpec.TYPE_HEADER));
    }

    /** Returns the fields that are not written as elements of the document. */
    static HeaderList others(HeaderList fields) {
        Set<String> elements = Set.of(UploadChecksumSpec.ALGORITHM_HEADER, UploadChecksumSpec.TYPE_HEADER);
        return fields.where(name -> !elements.contains(name));
    }
}
