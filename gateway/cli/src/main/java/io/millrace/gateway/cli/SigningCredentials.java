package io.millrace.gateway.cli;

import io.millrace.config.Secret;

/**
 * The access key and secret key that sign requests.
 *
 * @param source where they were found, for messages
 */
record SigningCredentials(String accessKey, Secret secretKey, String source) {}
