package io.millrace.gateway.s3.object;

import io.millrace.backend.spi.object.HeaderList;
import io.millrace.gateway.error.S3ErrorCode;
import io.millrace.gateway.error.S3Exception;
import io.millrace.gateway.objects.bucket.BucketView;
import io.millrace.gateway.objects.write.TagSetParser;
import io.millrace.gateway.s3.bucket.ForwardedHeaders;
import io.millrace.gateway.s3.gate.AuthorizedForm;
import io.millrace.gateway.s3.protocol.S3Operation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Converts the fields of a browser upload form to the headers of a PutObject request. */
final class FormToPutHeaders {
    private static final Set<String> PLAIN =
            Set.of("content-type", "content-disposition", "content-language", "cache-control", "expires");

    /** Fields of the signature, which are not headers of a PUT. */
    private static final Set<String> OF_THE_SIGNATURE =
            Set.of("x-amz-algorithm", "x-amz-credential", "x-amz-signature");

    /** Headers of a PUT that a form does not support: they are about the whole body, or about the existing object. */
    private static final Set<String> OF_A_PUT = Set.of(
            "x-amz-content-sha256",
            "x-amz-decoded-content-length",
            "x-amz-trailer",
            "if-match",
            "if-none-match",
            "if-modified-since",
            "if-unmodified-since");

    private FormToPutHeaders() {}

    /** @throws S3Exception NotImplemented for an unsupported field that would change the meaning of the form */
    static HeaderList of(Map<String, String> form, BucketView bucket, AuthorizedForm admitted) {
        List<HeaderList.HeaderField> fields = new ArrayList<>();
        form.forEach((name, value) -> {
            requireUnderstood(name);
            if (name.equals("content-encoding")) {
                ForwardedHeaders.storedEncoding(bytes(value))
                        .ifPresent(encoding -> fields.add(new HeaderList.HeaderField(name, encoding)));
            } else if (PLAIN.contains(name) || ForwardedHeaders.isOfStoring(name)) {
                fields.add(new HeaderList.HeaderField(name, bytes(value)));
            } else if (name.equals("acl")) {
                fields.add(new HeaderList.HeaderField("x-amz-acl", value));
            } else if (name.equals("tagging")) {
                // A form has an XML document where a header has query parameters.
                byte[] document = value.getBytes(StandardCharsets.UTF_8);
                fields.add(new HeaderList.HeaderField("x-amz-tagging", TagSetParser.parameters(document)));
            }
        });
        return ForwardedHeaders.checked(new HeaderList(fields), bucket, admitted::mayAdminister);
    }

    private static void requireUnderstood(String name) {
        boolean isForeign = name.startsWith("x-amz-")
                && !OF_THE_SIGNATURE.contains(name)
                && !S3Operation.PUT_OBJECT.understandsField(name);
        if (isForeign || OF_A_PUT.contains(name)) {
            throw new S3Exception(S3ErrorCode.NOT_IMPLEMENTED, "A form with this field is not understood")
                    .with("Header", name);
        }
    }

    /** Returns the text as headers are received: one char per byte. */
    private static String bytes(String value) {
        return new String(value.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }
}
