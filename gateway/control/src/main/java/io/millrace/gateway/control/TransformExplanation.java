package io.millrace.gateway.control;

import java.util.Optional;

/**
 * The part of an explanation that tells what makes an object.
 *
 * @param name of the transform in the settings
 * @param version of the service's code, as the settings have it
 * @param args what the service is told beside the bytes
 * @param bucket the bucket with the object that it is made of, as clients name it
 * @param key that object's key there
 * @param eTag of the version that it is made of; empty if none is known, or it has none
 */
record TransformExplanation(
        String name, String version, String args, String bucket, String key, Optional<String> eTag) {}
