package io.millrace.gateway.cli;

import io.millrace.config.Secret;

/**
 * The key pair requests are signed with.
 *
 * @param source where it was found, for messages
 */
record Credentials(String accessKey, Secret secretKey, String source) {}
