package io.tidemark.wire;

import io.tidemark.wire.sbe.AdminReplyDecoder;
import io.tidemark.wire.sbe.AdminRequestDecoder;
import io.tidemark.wire.sbe.ConsumeReplyDecoder;
import io.tidemark.wire.sbe.ConsumeRequestDecoder;
import io.tidemark.wire.sbe.DescribeBrokerReplyDecoder;
import io.tidemark.wire.sbe.DescribeBrokerRequestDecoder;
import io.tidemark.wire.sbe.FetchReplyDecoder;
import io.tidemark.wire.sbe.FetchRequestDecoder;
import io.tidemark.wire.sbe.HelloDecoder;
import io.tidemark.wire.sbe.HelloReplyDecoder;
import io.tidemark.wire.sbe.InitProducerIdReplyDecoder;
import io.tidemark.wire.sbe.InitProducerIdRequestDecoder;
import io.tidemark.wire.sbe.MessageHeaderDecoder;
import io.tidemark.wire.sbe.MetadataReplyDecoder;
import io.tidemark.wire.sbe.MetadataRequestDecoder;
import io.tidemark.wire.sbe.OffsetsReplyDecoder;
import io.tidemark.wire.sbe.OffsetsRequestDecoder;
import io.tidemark.wire.sbe.ProduceReplyDecoder;
import io.tidemark.wire.sbe.ProduceRequestDecoder;
import io.tidemark.wire.sbe.UpdateStatesReplyDecoder;
import io.tidemark.wire.sbe.UpdateStatesRequestDecoder;
import io.tidemark.wire.sbe.WitnessReplyDecoder;
import io.tidemark.wire.sbe.WitnessRequestDecoder;
import org.agrona.DirectBuffer;

/**
 * Decodes message headers: checks the whole message against the bounds of its frame first, then wraps the generated
 * decoder, so that whoever reads through the decoder never reads outside the frame, whatever the bytes say.
 *
 * <p>Each method returns its one decoder, wrapped on the message, which is valid until the next call of the same method
 * and as long as the buffer is. Allocates nothing. Not thread-safe: one per owner thread.
 */
public final class MessageReader {
    private final MessageHeaderDecoder messageHeader = new MessageHeaderDecoder();
    private final HelloDecoder hello = new HelloDecoder();
    private final HelloReplyDecoder helloReply = new HelloReplyDecoder();
    private final ProduceRequestDecoder produceRequest = new ProduceRequestDecoder();
    private final ProduceReplyDecoder produceReply = new ProduceReplyDecoder();
    private final FetchRequestDecoder fetchRequest = new FetchRequestDecoder();
    private final FetchReplyDecoder fetchReply = new FetchReplyDecoder();
    private final ConsumeRequestDecoder consumeRequest = new ConsumeRequestDecoder();
    private final ConsumeReplyDecoder consumeReply = new ConsumeReplyDecoder();
    private final MetadataRequestDecoder metadataRequest = new MetadataRequestDecoder();
    private final MetadataReplyDecoder metadataReply = new MetadataReplyDecoder();
    private final AdminRequestDecoder adminRequest = new AdminRequestDecoder();
    private final AdminReplyDecoder adminReply = new AdminReplyDecoder();
    private final InitProducerIdRequestDecoder initProducerIdRequest = new InitProducerIdRequestDecoder();
    private final InitProducerIdReplyDecoder initProducerIdReply = new InitProducerIdReplyDecoder();
    private final OffsetsRequestDecoder offsetsRequest = new OffsetsRequestDecoder();
    private final OffsetsReplyDecoder offsetsReply = new OffsetsReplyDecoder();
    private final UpdateStatesRequestDecoder updateStatesRequest = new UpdateStatesRequestDecoder();
    private final UpdateStatesReplyDecoder updateStatesReply = new UpdateStatesReplyDecoder();
    private final DescribeBrokerRequestDecoder describeBrokerRequest = new DescribeBrokerRequestDecoder();
    private final DescribeBrokerReplyDecoder describeBrokerReply = new DescribeBrokerReplyDecoder();
    private final WitnessRequestDecoder witnessRequest = new WitnessRequestDecoder();
    private final WitnessReplyDecoder witnessReply = new WitnessReplyDecoder();

    /** Creates a reader. */
    public MessageReader() {}

    /**
     * Checks and wraps a Hello.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole Hello
     */
    public HelloDecoder hello(DirectBuffer buffer, int index, int length) {
        MessageShape.check(HelloDecoder.TEMPLATE_ID, buffer, index, length);
        return hello.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a HelloReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole HelloReply
     */
    public HelloReplyDecoder helloReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(HelloReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return helloReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a ProduceRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole ProduceRequest
     */
    public ProduceRequestDecoder produceRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(ProduceRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return produceRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a ProduceReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole ProduceReply
     */
    public ProduceReplyDecoder produceReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(ProduceReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return produceReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a FetchRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole FetchRequest
     */
    public FetchRequestDecoder fetchRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(FetchRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return fetchRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a FetchReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole FetchReply
     */
    public FetchReplyDecoder fetchReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(FetchReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return fetchReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a ConsumeRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole ConsumeRequest
     */
    public ConsumeRequestDecoder consumeRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(ConsumeRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return consumeRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a ConsumeReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole ConsumeReply
     */
    public ConsumeReplyDecoder consumeReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(ConsumeReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return consumeReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a MetadataRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole MetadataRequest
     */
    public MetadataRequestDecoder metadataRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(MetadataRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return metadataRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a MetadataReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole MetadataReply
     */
    public MetadataReplyDecoder metadataReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(MetadataReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return metadataReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a AdminRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole AdminRequest
     */
    public AdminRequestDecoder adminRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(AdminRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return adminRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a AdminReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole AdminReply
     */
    public AdminReplyDecoder adminReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(AdminReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return adminReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a InitProducerIdRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole InitProducerIdRequest
     */
    public InitProducerIdRequestDecoder initProducerIdRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(InitProducerIdRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return initProducerIdRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a InitProducerIdReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole InitProducerIdReply
     */
    public InitProducerIdReplyDecoder initProducerIdReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(InitProducerIdReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return initProducerIdReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a OffsetsRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole OffsetsRequest
     */
    public OffsetsRequestDecoder offsetsRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(OffsetsRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return offsetsRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a OffsetsReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole OffsetsReply
     */
    public OffsetsReplyDecoder offsetsReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(OffsetsReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return offsetsReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a UpdateStatesRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole UpdateStatesRequest
     */
    public UpdateStatesRequestDecoder updateStatesRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(UpdateStatesRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return updateStatesRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a UpdateStatesReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole UpdateStatesReply
     */
    public UpdateStatesReplyDecoder updateStatesReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(UpdateStatesReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return updateStatesReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a DescribeBrokerRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole DescribeBrokerRequest
     */
    public DescribeBrokerRequestDecoder describeBrokerRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(DescribeBrokerRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return describeBrokerRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a DescribeBrokerReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole DescribeBrokerReply
     */
    public DescribeBrokerReplyDecoder describeBrokerReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(DescribeBrokerReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return describeBrokerReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a WitnessRequest.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole WitnessRequest
     */
    public WitnessRequestDecoder witnessRequest(DirectBuffer buffer, int index, int length) {
        MessageShape.check(WitnessRequestDecoder.TEMPLATE_ID, buffer, index, length);
        return witnessRequest.wrapAndApplyHeader(buffer, index, messageHeader);
    }

    /**
     * Checks and wraps a WitnessReply.
     *
     * @param buffer that holds the frame
     * @param index of the message header
     * @param length of the message with its message header, as the frame says; checked to lie inside the frame
     * @return the decoder, wrapped
     * @throws WireFormatException if the bytes are no whole WitnessReply
     */
    public WitnessReplyDecoder witnessReply(DirectBuffer buffer, int index, int length) {
        MessageShape.check(WitnessReplyDecoder.TEMPLATE_ID, buffer, index, length);
        return witnessReply.wrapAndApplyHeader(buffer, index, messageHeader);
    }
}
