package io.millrace.gateway.control;

import java.time.Instant;

/**
 * The state of the certificate of a port.
 *
 * @param port the section of the settings
 * @param expires when the certificate in use does
 * @param isReloadFailing whether its files have changed and cannot be used
 */
public record CertificateState(String port, Instant expires, boolean isReloadFailing) {}
