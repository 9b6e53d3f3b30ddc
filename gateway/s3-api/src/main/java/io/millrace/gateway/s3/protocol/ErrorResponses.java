package io.millrace.gateway.s3.protocol;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3Exception;
import io.millrace.kit.XmlText;
import io.millrace.kit.XmlWriter;

/**
 * Converts errors to responses in S3's format.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">S3 error responses</a>
 */
public final class ErrorResponses {
    private ErrorResponses() {}

    /**
     * Returns the response for an error.
     *
     * @param resource the path of the request as it was signed; shown to the client
     */
    public static S3Response of(S3Exception error, String resource, String requestId) {
        if (error.status() == 304) {
            return S3Response.empty(304, error.headers());
        }
        XmlWriter xml = XmlWriter.plain("Error").element("Code", error.code());
        // They repeat what the client sent. Unlike in a list, nothing but the document depends on each character.
        xml.element("Message", XmlText.representable(error.text()));
        error.details().forEach((name, value) -> xml.element(name, XmlText.representable(value)));
        xml.element("Resource", XmlText.representable(resource))
                .element("RequestId", requestId)
                .element("HostId", "millrace");
        // Those of a backend describe the object, which the body of this response is not.
        HeaderList headers = error.headers().where(name -> !name.startsWith("content-"));
        return S3Response.xml(error.status(), headers, xml.bytes());
    }
}
