package io.millrace.gateway.error;

/**
 * The error codes that the gateway itself returns, each with its HTTP status and S3's usual message.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">S3 error responses</a>
 */
public enum S3ErrorCode {
    ACCESS_DENIED(403, "AccessDenied", "Access Denied"),
    ACL_NOT_SUPPORTED(400, "AccessControlListNotSupported", "The bucket does not allow ACLs"),
    BACKEND_DENIES(
            403,
            "AccessDenied",
            "The storage behind this gateway denies the gateway this: a policy there, or a right that the gateway"
                    + " lacks. Your own key was accepted and has the right; the gateway's operator can see the"
                    + " reason."),
    BAD_GATEWAY(
            502,
            "BadGateway",
            "The storage behind this gateway does not accept the gateway's credentials. Your own key and rights are not"
                    + " the reason; the gateway's operator has to mend it."),
    BUCKET_ALREADY_OWNED_BY_YOU(
            409,
            "BucketAlreadyOwnedByYou",
            "Your previous request to create the named bucket succeeded and you already own it."),
    ENTITY_TOO_LARGE(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed object size."),
    HEADERS_TOO_LARGE(
            431,
            "RequestHeaderSectionTooLarge",
            "Your request header and query parameters used to make the request exceed the maximum allowed size."),
    INTERNAL_ERROR(500, "InternalError", "We encountered an internal error. Please try again."),
    INVALID_ARGUMENT(400, "InvalidArgument", "Invalid Argument"),
    INVALID_BUCKET_NAME(400, "InvalidBucketName", "The specified bucket is not valid."),
    INVALID_OBJECT_STATE(403, "InvalidObjectState", "The operation is not valid for the object's storage class."),
    INVALID_PART_NUMBER(416, "InvalidPartNumber", "The requested partnumber is not satisfiable"),
    INVALID_RANGE(416, "InvalidRange", "The requested range is not satisfiable"),
    INVALID_REQUEST(400, "InvalidRequest", "Invalid Request"),
    INVALID_URI(400, "InvalidURI", "Couldn't parse the specified URI."),
    KEY_TOO_LONG(400, "KeyTooLongError", "Your key is too long"),
    LOOP_DETECTED(
            508,
            "LoopDetected",
            "This request has come back to a Millrace that it had passed: a backend leads to itself, perhaps through"
                    + " others. Their operators have to correct its backends or buckets."),
    MALFORMED_XML(
            400,
            "MalformedXML",
            "The XML you provided was not well-formed or did not validate against our published schema"),
    METADATA_TOO_LARGE(400, "MetadataTooLarge", "Your metadata headers exceed the maximum allowed metadata size"),
    METHOD_NOT_ALLOWED(405, "MethodNotAllowed", "The specified method is not allowed against this resource."),
    MISSING_CONTENT_LENGTH(411, "MissingContentLength", "You must provide the Content-Length HTTP header."),
    NO_SUCH_BUCKET(404, "NoSuchBucket", "The specified bucket does not exist"),
    NO_SUCH_KEY(404, "NoSuchKey", "The specified key does not exist."),
    NO_SUCH_UPLOAD(
            404,
            "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or"
                    + " completed."),
    NO_SUCH_VERSION(404, "NoSuchVersion", "The specified version does not exist."),
    NOT_IMPLEMENTED(
            501, "NotImplemented", "A header or parameter you provided implies functionality that is not implemented"),
    NOT_IN_CACHE(504, "GatewayTimeout", "The request may only be answered from the cache, which does not hold that."),
    NOT_HTTP(400, "InvalidRequest", "The request is not valid HTTP."),
    NOT_MODIFIED(304, "NotModified", "Not Modified"),
    PRECONDITION_FAILED(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold"),
    REQUEST_TIMEOUT(
            400,
            "RequestTimeout",
            "Your socket connection to the server was not read from or written to within the timeout period."),
    REQUEST_LINE_TOO_LONG(414, "InvalidURI", "The request line is too long."),
    SERVICE_UNAVAILABLE(
            503,
            "ServiceUnavailable",
            "The storage behind this gateway cannot be reached, or is in trouble. Please try again."),
    SLOW_DOWN(503, "SlowDown", "Please reduce your request rate."),
    VERSION_NOT_SUPPORTED(505, "InvalidRequest", "The HTTP version is not supported. Please use HTTP/1.1.");

    private final int status;
    private final String code;
    private final String message;

    S3ErrorCode(int status, String code, String message) {
        this.status = status;
        this.code = code;
        this.message = message;
    }

    /** Returns the HTTP status. */
    public int status() {
        return status;
    }

    /** Returns the content of {@code <Code>}. */
    public String code() {
        return code;
    }

    /** Returns S3's usual message. */
    public String message() {
        return message;
    }
}
